"""Too many leads: they wait, people get one card, and a word of theirs settles it; spam."""

from __future__ import annotations

from typing import Any

import pytest

from agent.clock import now
from agent.likeness import likeness
from bot.rates import MOST_SENDERS, Addresses, Rates
from bot.sandbox.chats import Message
from tests.bot.harness import DENY, Office, data_of, labels_of, text_of
from tests.hooks_http.site import Site

PROCESS, SPAM = "Process", "spam"
WORDS = "Best prices for your search engine promotion, page {}"


@pytest.fixture(autouse=True)
def _shown_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("storage.waiting.SHOWN_EVERY_MS", 1)


async def flood(site: Site, *numbers: int, words: str = WORDS) -> None:
    for number in numbers:
        assert (
            await site.post({"id": f"{words[:4]}{number}", "message": words.format(number)})
        ).status_code == 200
    await site.leads()


async def capped(site: Site, calls: int) -> Office:
    """The bot with a small allowance, its first lead at work."""
    office = site.office
    office.overrides["model_calls_per_day"] = calls
    await office.restart()
    site.urls = {
        source["name"]: source["url"] for source in (await site.run("source", "list", "--json")).json
    }
    await flood(site, 1, words="We need a CRM for our clinic, number {}")
    await office.card("Reply to site")
    return office


async def digest(office: Office, *words: str) -> Message:
    return await office.shown("Leads that wait", *words)


async def test_beyond_the_days_calls_leads_wait_on_one_card(site: Site) -> None:
    """They are leads, listed; the model is not asked; one card names them and asks."""
    office = await capped(site, 1)
    asked = len(office.api.requests)
    await flood(site, 1, 2, 3)
    office.lead("Dana", "I write in the chat.")
    card = await digest(office, "4", "today's model calls".capitalize(), "Dana")
    assert labels_of(card) == ["▶️ Process all", "🚫 All are spam"]
    assert len(office.cards("Leads that wait")) == 1
    assert len(office.api.requests) == asked
    waiting = [lead for lead in await site.leads() if lead["waits_until"]]
    assert len(waiting) == 4
    assert office.value("SELECT count(*) FROM runs") == 1


async def test_a_word_lets_all_go(site: Site) -> None:
    """All that the card showed, whatever the limit; the first press counts."""
    office = await capped(site, 1)
    await flood(site, 1, 2, 3)
    card = await digest(office, ": 3")
    assert "At work: 3" in str((await office.pressed(card, PROCESS)).text)
    await office.until(lambda: len(office.waiting("Reply to site")) == 4, "four cards to decide")
    await office.shows(card, "Olga", "leads given to the agent: 3")
    assert labels_of(card) == []


async def test_what_came_after_the_card_is_asked_about_anew(site: Site) -> None:
    """A press is about what the person saw."""
    office = await capped(site, 1)
    await flood(site, 1)
    card = await digest(office, ": 1")
    forged = office.world.press(office.igor, office.group_id, card.id, "gp:forged:9")
    assert "out of date" in str((await office.toast(forged)).text)
    seen = data_of(card, SPAM)
    await flood(site, 2, words="Another matter altogether, dear sirs, number {}")
    await office.toast(office.world.press(office.olga, office.group_id, card.id, seen))
    await office.shows(card, "marked as spam: 1")
    await digest(office, ": 1", "Another matter")
    assert [lead["spam"] for lead in await site.leads()] == [False, True, False]


async def test_a_spam_verdict_holds_for_whatever_is_alike(site: Site) -> None:
    """The same words with other numbers get no run any more; a mistake can be taken back."""
    office = await capped(site, 1)
    await flood(site, 1, 2)
    await office.pressed(await digest(office, ": 2"), SPAM)
    await office.command("/help")  # the press is done with
    await office.restart(model_calls_per_day=0)
    site.urls = {
        source["name"]: source["url"] for source in (await site.run("source", "list", "--json")).json
    }
    await flood(site, 3, 4)
    assert [lead["spam"] for lead in await site.leads()] == [False, True, True, True, True]
    assert office.value("SELECT count(*) FROM runs") == 1
    assert "no spam" in text_of(await office.command("/notspam L-4"))
    await office.until(lambda: office.value("SELECT count(*) FROM runs") == 5, "all of them at work")
    assert not any(lead["spam"] for lead in await site.leads())
    assert "L-2 is spam" in text_of(await office.command("/spam 2"))
    assert "Write the number" in text_of(await office.command("/spam L-99"))
    assert "Write the number" in text_of(await office.command("/spam"))


async def test_a_denial_as_spam_is_such_a_verdict(site: Site) -> None:
    """What a person denies because the lead is spam."""
    await flood(site, 1)
    card = await site.office.card("Reply to site")
    await site.office.pressed(card, DENY)
    await site.office.shows(card, "Denied")
    await site.office.pressed(card, "Spam")
    await flood(site, 2)
    assert [lead["spam"] for lead in await site.leads()] == [True, True]


async def test_midnight_lets_leads_go(site: Site) -> None:
    """Without a word they are worked the next day, and the card says that nothing waits."""
    office = await capped(site, 1)
    await flood(site, 1)
    card = await digest(office, ": 1")
    await office.restart(clock=lambda: now() + 86_400_000)
    await office.shows(card, "No leads wait any more")
    assert office.value("SELECT count(*) FROM runs") == 2


async def test_one_source_posts_too_much_at_once(site: Site) -> None:
    """What is more than it may is stored, acknowledged and waits; other sources go on."""
    office = site.office
    office.overrides["hook_per_minute"] = 2
    await office.restart()
    site.urls = {
        source["name"]: source["url"] for source in (await site.run("source", "list", "--json")).json
    }
    await site.add("other")
    await flood(site, 1, 2, 3)
    await digest(office, ": 1", "Too many came at once")
    await site.post({"message": "From another form"}, "other")
    await office.card("From another form")
    assert [bool(lead["waits_until"]) for lead in await site.leads()] == [False, False, True, False]


def test_rates_are_refilled_over_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many at once, and so many a minute; each sender for itself; memory is bounded."""
    at = [0.0]
    monkeypatch.setattr("bot.rates.monotonic", lambda: at[0])
    rates = Rates(60)
    assert [rates.exceeded("a") for _ in range(61)] == [False] * 60 + [True]
    assert not rates.exceeded("b")
    at[0] = 1.5
    assert [rates.exceeded("a"), rates.exceeded("a")] == [False, True]
    for number in range(MOST_SENDERS + 5):
        rates.exceeded(number)
    assert len(rates._buckets) == MOST_SENDERS
    assert not any(Rates(0).exceeded("a") for _ in range(1000))


class Asked:
    """What of a request tells where it comes from."""

    def __init__(self, host: str, forwarded: str | None) -> None:
        self.client = type("Client", (), {"host": host})
        self.headers = {"x-forwarded-for": forwarded} if forwarded is not None else {}


@pytest.mark.parametrize(
    ("host", "forwarded", "address"),
    [
        ("203.0.113.7", "198.51.100.1", "203.0.113.7"),
        ("127.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("127.0.0.1", "6.6.6.6, 198.51.100.1, 10.1.2.3", "198.51.100.1"),
        ("127.0.0.1", None, "unknown"),
        ("127.0.0.1", "nonsense", "unknown"),
        ("2001:db8::1", "", "2001:db8::/64"),
    ],
)
def test_only_our_own_proxies_are_believed(host: str, forwarded: str | None, address: str) -> None:
    """Anybody can write X-Forwarded-For; what our proxy added stands last."""
    asked: Any = Asked(host, forwarded)
    assert Addresses(("127.0.0.1", "10.0.0.0/8")).of(asked) == address


def test_likeness() -> None:
    """Letters alone count, and short words are alike by chance."""
    alike = likeness("Best PRICES for your site: call 8 701 555 01 42!")
    assert alike == likeness("best prices, for your site - call +7 (702) 111-22-33")
    assert alike != likeness("Best prices for your shop: call 8 701 555 01 42!")
    assert likeness("Call me back") is None
    assert likeness("") is None
