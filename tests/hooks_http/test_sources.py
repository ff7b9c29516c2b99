"""`lead-agent source`: beside a bot that serves, without a restart, and without one."""

from __future__ import annotations

from bot.hooks import Preset
from tests.bot.harness import Office
from tests.hooks_http.site import Site

BODY = {"message": "We need a CRM for our clinic."}


async def test_the_url_holds_the_port_in_use(site: Site) -> None:
    """HTTP_PORT=0: only the bot that serves knows it."""
    assert site.urls["site"].startswith(f"{site.office.url}/hooks/site/")
    assert site.office.settings().http_port == 0
    (listed,) = (await site.run("source", "list", "--json")).json
    assert (listed["name"], listed["preset"], listed["url"]) == ("site", "generic", site.urls["site"])


async def test_rotate_and_remove_hold_at_once(site: Site) -> None:
    """The old URL is refused from the next request on; leads stay."""
    old = site.urls["site"]
    assert (await site.post(BODY)).status_code == 200
    site.urls["site"] = (await site.run("source", "rotate", "site", "--json")).json["url"]
    assert site.urls["site"] != old
    assert (await site.client.post(old, json=BODY)).status_code == 401
    assert (await site.post(BODY)).status_code == 200
    assert (await site.run("source", "remove", "site")).code == 0
    assert (await site.post(BODY)).status_code == 404
    assert len(await site.leads()) == 1
    await site.add()
    assert (await site.client.post(old, json=BODY)).status_code == 401
    assert (await site.post(BODY)).status_code == 200
    assert len(await site.leads()) == 2


async def test_every_preset_says_what_to_click(site: Site) -> None:
    """The URL is in the steps, and the secret where the product asks for one: it is made then."""
    said = {
        f"a-{preset}": (await site.run("source", "add", f"a-{preset}", "--preset", preset)).out
        for preset in Preset
    }
    listed = (await site.run("source", "list", "--json")).json
    asked = [source for source in listed if source["secret"]]
    assert all(source["url"] in said[source["name"]] for source in listed if source["name"] != "site")
    assert all(source["secret"] in said[source["name"]] for source in asked)
    assert len(listed) == len(Preset) + 1
    assert {source["preset"] for source in asked} == {
        Preset.WPFORMS,
        Preset.TYPEFORM,
        Preset.TALLY,
        Preset.GOOGLE_ADS,
    }


async def test_a_secret_goes_where_the_product_can_carry_it(site: Site) -> None:
    """Tilda signs nothing: its secret is in the URL, and nothing passes without it."""
    added = await site.add("shop", "tilda", "test-secret")
    assert (added["name"], added["preset"], added["secret"]) == ("shop", "tilda", "test-secret")
    assert (await site.post(BODY, "shop")).status_code == 200
    bare = added["url"].partition("?")[0]
    assert (await site.client.post(bare, json=BODY)).status_code == 401
    await site.add("open", secret="test-secret")
    assert (await site.post(BODY, "open")).status_code == 401
    proven = await site.client.post(
        site.urls["open"], json=BODY, headers={"authorization": "Bearer test-secret"}
    )
    assert proven.status_code == 200


FAULTS = {
    ("add", "Мой сайт"): "NAME: write 1 to 40 of a-z, 0-9 and -",
    ("add", "telegram"): "NAME: ",
    ("add", "a" * 41): "NAME: ",
    ("add", "site"): "NAME: there is a source site already",
    ("add", "new", "--preset", "tyldo"): "--preset: write one of tilda, cf7, ",
    ("add", "new", "--secret", "a b"): "--secret: write 6 to 200",
    ("add", "new", "--secret", ""): "--secret: write 6 to 200",
    ("rotate",): "source: write `list`, or",
}


async def test_wrong_use(site: Site) -> None:
    """Plain lines on stderr, exit 2, nothing made; what is not there: exit 1."""
    for argv, words in FAULTS.items():
        ran = await site.run("source", *argv)
        assert (ran.code, ran.out) == (2, "")
        assert words in ran.err
    for action in ("rotate", "remove"):
        ran = await site.run("source", action, "nobody")
        assert (ran.code, ran.out) == (1, "")
        assert "there is no source nobody" in ran.err
    assert len((await site.run("source", "list", "--json")).json) == 1


async def test_without_a_bot_that_serves(site: Site) -> None:
    """The command writes by itself; the bot finds the source when it starts."""
    await site.office.stop()
    added = (await site.run("source", "add", "later", "--json")).json
    assert added["url"].startswith("http://127.0.0.1:0/hooks/later/")
    listed = await site.run("source", "list")
    assert (listed.code, "later" in listed.out, "site" in listed.out) == (0, True, True)
    await site.office.start()
    (found, _) = (await site.run("source", "list", "--json")).json
    site.urls["later"] = found["url"]
    assert (await site.post(BODY, "later")).status_code == 200


async def test_with_a_public_url(stopped: Office, site: Site) -> None:
    """It is the one that the outside reaches."""
    site.monkeypatch.setenv("PUBLIC_URL", "https://bot.example.test/")
    await stopped.stop()
    added = (await site.run("source", "add", "public", "--json")).json
    assert added["url"].startswith("https://bot.example.test/hooks/public/")
