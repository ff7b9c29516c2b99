"""What a website form posts: stored, acknowledged, and made one lead with its run."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import httpx
import pytest

from bot.hook_inbox import ATTEMPTS
from bot.logs import Redacted
from bot.sandbox.faults import FaultKind
from tests.bot.harness import APPROVE, NEED, Office, text_of
from tests.bot.test_web import free_port
from tests.hooks import posts
from tests.hooks_http.site import JSON, Site

DANA = {"name": "Dana", "phone": "+7 701 555 01 42", "email": "dana@example.test", "message": NEED}
REFUSE = (
    "CREATE TRIGGER no_room BEFORE INSERT ON posts BEGIN SELECT raise(ABORT, 'there is no room left'); END"
)


async def test_a_form_becomes_a_lead_and_a_card(site: Site) -> None:
    """What was posted is listed and worked; the model is told how the person can be reached."""
    answer = await site.post(DANA)
    assert (answer.status_code, answer.text) == (200, "ok")
    (lead,) = await site.leads()
    phone = {"raw": "+7 701 555 01 42", "e164": "+77015550142", "extension": None, "confidence": "sure"}
    assert lead | {"created_at": None, "contact_id": None} == {
        "id": "L-1",
        "source": "site",
        "name": "Dana",
        "phone": "+77015550142",
        "phones": [phone],
        "emails": ["dana@example.test"],
        "message": NEED,
        "raw_only": False,
        "spam": False,
        "contact_id": None,
        "created_at": None,
        "waits_until": None,
    }
    office = site.office
    card = await office.card("Reply to Dana")
    await office.pressed(card, APPROVE)
    await office.shows(card, "handed over")
    told = str(office.api.requests[0]["messages"][0])
    assert all(word in told for word in ("+77015550142", "dana@example.test", '"site"'))


async def test_leads_of_telegram_are_listed_too(site: Site) -> None:
    """One list of everybody, newest first in the table."""
    site.office.lead("Igor", "I need a website.")
    await site.office.card("Igor")
    await site.post(DANA)
    igor, _ = await site.leads()
    assert (igor["source"], igor["name"], igor["phones"]) == ("telegram", "Igor", [])
    table = (await site.run("leads")).out.splitlines()
    assert ("L-2" in table[0], "L-1" in table[1]) == (True, True)


STATUSES: dict[str, tuple[str, str, bytes, int]] = {
    "posted": ("POST", "{url}", b"{}", 200),
    "with a slash": ("POST", "{url}/", b"{}", 200),
    "nobody can read it": ("POST", "{url}", b'{"name": "D', 200),
    "nothing": ("POST", "{url}", b"", 200),
    "looked at": ("GET", "{url}", b"", 200),
    "looked at without body": ("HEAD", "{url}", b"", 200),
    "wrong token": ("POST", "{url}x", b"{}", 401),
    "no token": ("POST", "{base}/hooks/site", b"{}", 404),
    "looked at with a wrong token": ("GET", "{url}x", b"", 401),
    "unknown source": ("POST", "{base}/hooks/nobody/{token}", b"{}", 404),
    "odd name": ("POST", "{base}/hooks/%00%ff/{token}", b"{}", 404),
    "odd token": ("POST", "{base}/hooks/site/%ff%00", b"{}", 401),
    "1 MB": ("POST", "{url}", b"a" * 1_000_000, 200),
    "more": ("POST", "{url}", b"a" * 1_000_001, 413),
    "deleted": ("DELETE", "{url}", b"", 405),
}


async def test_statuses(site: Site) -> None:
    """Products go by the status alone."""
    whole = site.urls["site"]
    base, _, token = whole.partition("/hooks/site/")
    for case, (method, url, body, status) in STATUSES.items():
        answer = await site.client.request(
            method, url.format(url=whole, base=base, token=token), content=body, headers=JSON
        )
        assert answer.status_code == status, case


async def test_a_body_without_length_is_cut_off(site: Site) -> None:
    """What is streamed is refused as soon as it is too much."""
    sent = 0

    async def stream() -> Any:
        nonlocal sent
        for _ in range(200):
            sent += 100_000
            yield b"a" * 100_000

    answer = await site.client.post(site.urls["site"], content=stream())
    assert answer.status_code == 413
    assert site.office.value("SELECT count(*) FROM posts") == 0


async def test_a_page_may_post_by_itself(site: Site) -> None:
    """A browser asks first whether another site's page may post JSON (CORS)."""
    asked = {
        "origin": "https://studio.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type",
    }
    answer = await site.client.options(site.urls["site"], headers=asked)
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, "*")
    posted = await site.post(DANA, headers={**JSON, "origin": "https://studio.example"})
    assert posted.headers["access-control-allow-origin"] == "*"


async def test_nothing_is_acknowledged_that_is_not_stored(site: Site) -> None:
    """503 while the disk is full, 200 once it is stored."""
    site.office.rows(REFUSE)
    assert (await site.post(DANA)).status_code == 503
    site.office.rows("DROP TRIGGER no_room")
    assert (await site.post(DANA)).status_code == 200
    assert len(await site.leads()) == 1


async def test_what_was_stored_becomes_a_lead_at_the_next_start(site: Site) -> None:
    """The program ended between the row and the lead."""
    office = site.office
    office.rows(REFUSE.replace("no_room", "no_leads").replace("posts", "leads"))
    await site.post(DANA)
    await office.logged("failed (RowRefused)")
    await office.stop()
    office.rows("DROP TRIGGER no_leads")
    assert office.rows("SELECT state FROM posts") == [("new",)]
    await office.start()
    await office.card("Reply to Dana")
    assert len(await site.leads()) == 1


async def test_tests_of_products_make_no_lead(site: Site) -> None:
    """They are stored and answered like everything else."""
    await site.add("ads", "google-ads", "key-of-ours")
    await site.add("tilda", "tilda")
    headers = {"content-type": posts.FORM}
    assert (await site.post(b"test=test", "tilda", headers)).status_code == 200
    assert (await site.post(posts.google_ads({"Full Name": "F"}, is_test=True)[1], "ads")).status_code == 200
    assert await site.leads() == []
    assert site.office.value("SELECT count(*) FROM posts WHERE state = 'done'") == 2


async def test_a_body_that_nobody_can_read_is_a_lead(site: Site) -> None:
    """With its whole text, marked, and worked like any other."""
    broken = b'{"your-name": "Dana", "text": "We need a "CRM"", "tel": "+7 701 555 01 42"'
    await site.post(broken, headers={"content-type": "text/plain"})
    (lead,) = await site.leads()
    assert (lead["raw_only"], lead["message"], lead["phone"]) == (True, broken.decode(), "+77015550142")
    assert lead["name"] is None
    await site.office.card("Reply to +77015550142")


async def test_a_callback_form_is_shown_with_its_number(site: Site) -> None:
    """A form with nothing but a number is a lead too; a doubtful number is kept as it was written."""
    await site.post({"phone": "+7 (870) 155-50-14"})
    (lead,) = await site.leads()
    assert (lead["phone"], lead["message"], lead["phones"][0]["confidence"]) == (
        "+7 (870) 155-50-14",
        "",
        "doubtful",
    )
    await site.office.card("Reply to +7 (870) 155-50-14")


async def test_a_body_that_breaks_the_reader_blocks_no_other(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After some tries it is a lead with its raw text; what it says is in no log."""
    from bot.hooks import read

    def breaks(preset: Any, content_type: Any, body: bytes, **more: Any) -> Any:
        if b"poison" in body:
            raise ValueError(f"cannot read {body!r}")
        return read(preset, content_type, body, **more)

    monkeypatch.setattr("bot.hook_inbox.read", breaks)
    monkeypatch.setattr("bot.hook_inbox.SECONDS_BEFORE_ANOTHER_TRY", 0)
    await site.post({"message": "poison for the reader"})
    await site.post(DANA)
    await site.office.card("Reply to Dana")
    await site.office.card("Reply to site")
    raw = [lead for lead in await site.leads() if lead["raw_only"]]
    assert ["poison" in lead["message"] for lead in raw] == [True]
    failures = [line for line in site.office.log if "failed (ValueError)" in line]
    assert len(failures) == ATTEMPTS
    assert not [line for line in site.office.log if "poison" in line]


async def test_a_request_that_can_be_made_no_lead_is_put_before_the_people(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is set aside, kept, and told; others go on."""
    from bot.hook_inbox import lead_of

    def breaks(contact: Any, post: Any, submission: Any) -> Any:
        if "poison" in submission.message:
            raise ValueError(submission.message)
        return lead_of(contact, post, submission)

    monkeypatch.setattr("bot.hook_inbox.lead_of", breaks)
    monkeypatch.setattr("bot.hook_inbox.SECONDS_BEFORE_ANOTHER_TRY", 0)
    await site.post({"message": "poison for the lead"})
    await site.post(DANA)
    await site.office.card("Reply to Dana")
    note = await site.office.shown("could not be made a lead")
    assert "site" in text_of(note)
    assert site.office.value("SELECT count(*) FROM posts WHERE state = 'parked'") == 1
    assert [lead["name"] for lead in await site.leads()] == ["Dana"]


async def test_a_request_whose_row_the_database_refuses_holds_up_no_other(site: Site) -> None:
    """A rule that one lead breaks is a fault of that lead alone: it is set aside, kept and told."""
    site.office.rows(
        "CREATE TRIGGER rule BEFORE INSERT ON leads WHEN NEW.message LIKE '%poison%' "
        "BEGIN SELECT raise(ABORT, 'a rule'); END"
    )
    await site.post({"message": "poison for the table"})
    await site.post(DANA)
    await site.office.card("Reply to Dana")
    await site.office.shown("could not be made a lead")
    assert site.office.value("SELECT count(*) FROM posts WHERE state = 'parked'") == 1


@pytest.mark.parametrize("bad", ["token", "body"])
async def test_nothing_of_token_or_body_is_logged(
    site: Site, bad: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither of what was taken in nor of what was refused."""
    caplog.set_level("DEBUG", logger="bot")
    caplog.set_level("DEBUG", logger="uvicorn")
    url = site.urls["site"]
    token = url.rpartition("/")[2]
    await site.post({"message": "sesame for the log", "phone": "+7 701 555 01 42"})
    if bad == "token":
        await site.client.post(f"{url}-sesame", content=b"sesame", headers=JSON)
        await site.office.logged("wrong token")
    else:
        await site.client.post(url, content=b"sesame" * 200_000, headers=JSON)
        await site.office.logged("larger than")
    await site.office.card("Reply to")
    ours = [record for record in caplog.records if not record.name.startswith(("httpx", "httpcore"))]
    text = "\n".join(f"{record.getMessage()} {record.exc_text}" for record in ours)
    assert [word for word in (token, "sesame", "555") if word in text] == []


def test_a_url_of_a_form_is_blanked_out_in_the_log() -> None:
    """Whoever logs it."""
    line = logging.makeLogRecord({"msg": 'POST https://bot.test/hooks/site/T0ken-x_y?token=z "HTTP/1.1" 500'})
    assert "T0ken" not in (told := Redacted([]).format(line))
    assert '/hooks/site/*** "HTTP/1.1" 500' in told


async def test_forms_are_taken_in_while_telegram_is_away(
    stopped: Office, bare_environment: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The web server and the commands answer before Telegram was met; /healthz says what is wrong."""
    stopped.overrides["http_port"] = free_port()
    stopped.fault(FaultKind.GATEWAY, "getMe")
    starting = asyncio.create_task(stopped.start())
    await stopped.logged("Telegram cannot be reached")
    async with httpx.AsyncClient(trust_env=False) as client:
        site = Site(office=stopped, client=client, monkeypatch=monkeypatch)
        await site.add()
        assert (await site.post(DANA)).status_code == 200
        health = await client.get(f"http://127.0.0.1:{stopped.overrides['http_port']}/healthz")
        assert (health.status_code, "Telegram cannot be reached" in health.text) == (503, True)
        await starting
        await stopped.card("Reply to Dana")
        assert (await client.get(f"{stopped.url}/healthz")).status_code == 200
