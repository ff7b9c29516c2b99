"""Bitrix24 beside the built-in CRM: everything gets there, once, whatever befalls the way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from agent.crm_link import Provider
from agent.deals import Deal, Service, Stage
from agent.runs import Person, Run
from bot.cards import CardStyle
from bot.crm.bitrix24 import Bitrix24
from bot.crm.bitrix24_api import Bitrix24Api
from bot.crm.sync import CrmSync, Patience
from bot.crm_settings import STAGES
from bot.settings import Language
from bot.texts import texts
from storage.transaction import SqliteTransaction
from tests.company import DANA, IGOR, OLGA, Company
from tests.crm.forms import DANA_PHONE, TIMUR_PHONE, merged, posted, shared
from tests.crm.portal import Portal, Trouble

GROUP = -100
QUICK = Patience(first=0.01, longest=0.05, closed=0.01, refused=0.2, told=0.0)
STYLE = CardStyle(texts=texts(Language.EN), zone=ZoneInfo("UTC"))


@dataclass(kw_only=True)
class Synced:
    """A company whose changes are brought to a portal while the block runs."""

    company: Company
    portal: Portal

    async def connect(self, provider: Provider = Provider.BITRIX24) -> None:
        await self.company.store.transaction(lambda tx: tx.crm_outbox.connect(provider))

    @asynccontextmanager
    async def running(self, patience: Patience = QUICK) -> AsyncIterator[None]:
        sync = CrmSync(
            store=self.company.store,
            crm=lambda link: Bitrix24(Bitrix24Api(self.portal.url), link.origin, STAGES),
            style=STYLE,
            group_id=GROUP,
            clock=self.company.clock,
            patience=patience,
        )
        task = asyncio.create_task(sync.run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def settled(self) -> None:
        """Wait until nothing is due."""
        async with asyncio.timeout(15):
            while await self.company.store.read(lambda tx: tx.crm_outbox.count()):
                await asyncio.sleep(0)
                await self.company.store.transaction(lambda tx: None)

    async def deal(self, run: Run, summary: str = "A CRM for the clinic.") -> Deal:
        def add(tx: SqliteTransaction) -> Deal:
            return tx.crm.create_deal(tx.runs.lead(run), run.id, Service.CRM, summary, self.company.clock())

        return await self.company.store.transaction(add)

    async def move(self, stage: Stage, person: Person = OLGA, id: int = 1) -> None:
        await self.company.store.transaction(lambda tx: tx.deals.move(tx.deals.get(id), stage, person, 1))

    async def note(self, text: str, number: int = 1) -> None:
        await self.company.store.transaction(
            lambda tx: tx.deals.note(tx.deals.get(1), text, OLGA, 1, chat_id=GROUP, message_id=number)
        )

    async def told(self, count: int) -> list[str]:
        """Wait until the operators were told so much, and no more."""
        async with asyncio.timeout(15):
            while len(rows := self.company.tamper("SELECT text FROM notes ORDER BY id")) < count:
                await self.company.store.transaction(lambda tx: None)
        assert len(rows) == count
        return [text for (text,) in rows]


@pytest.fixture
async def synced(company: Company, portal: Portal, unhurried: None) -> Synced:
    made = Synced(company=company, portal=portal)
    await made.connect()
    return made


async def dana(synced: Synced) -> Run:
    return await posted(
        synced.company, "A CRM, please.", phone=DANA_PHONE, email="dana@example.kz", name="Dana O."
    )


async def test_a_deal_gets_there_with_its_contact(synced: Synced) -> None:
    """Found by nothing, so added; with where they come from; then each change, and nothing but the change."""
    portal = synced.portal
    async with synced.running():
        await synced.deal(await dana(synced))
        await synced.settled()
        contact = portal.contact
        assert (contact["NAME"], contact["ORIGIN_ID"]) == ("Dana O.", "C-1")
        assert [item["VALUE"] for item in contact["PHONE"]] == [DANA_PHONE]
        assert [item["VALUE"] for item in contact["EMAIL"]] == ["dana@example.kz"]
        assert portal.deal["TITLE"] == "D-1 · CRM · Dana O."
        assert (portal.deal["STAGE_ID"], portal.deal["CATEGORY_ID"]) == ("NEW", 0)
        assert "A CRM, please." in portal.deal["COMMENTS"]
        assert portal.deal["ORIGINATOR_ID"] == contact["ORIGINATOR_ID"]
        portal.deal["TITLE"] = "Renamed there"
        await synced.move(Stage.WON)
        await synced.settled()
    assert (portal.deal["STAGE_ID"], portal.deal["TITLE"]) == ("WON", "Renamed there")
    assert [call["fields"] for call in portal.named("crm.deal.update")] == [{"STAGE_ID": "WON"}]


async def test_notes_become_comments(synced: Synced) -> None:
    """In their order, with who wrote them; markup of others is none there."""
    async with synced.running():
        await synced.deal(await dana(synced))
        await synced.note("First. [url=http://evil.example]here[/url]", 1)
        await synced.note("Second.", 2)
        await synced.settled()
    words = [comment["COMMENT"] for comment in synced.portal.comments]
    assert [text.splitlines()[0] for text in words] == [
        "First. ［url=http://evil.example］here［/url］",
        "Second.",
    ]
    assert "Olga" in words[0]


async def test_somebody_who_is_there_already_is_found(synced: Synced) -> None:
    """By the phone, however it is written there; kept as they are, but for what is verified."""
    portal = synced.portal
    known = portal._contact_add({"NAME": "Дана, постоянная", "PHONE": [{"VALUE": "8 (701) 555-01-42"}]})
    async with synced.running():
        await synced.deal(await dana(synced))
        await synced.settled()
        assert list(portal.contacts) == [known]
        assert portal.contact["NAME"] == "Дана, постоянная"
        assert portal.contact["EMAIL"] == []
        assert portal.deal["CONTACT_IDS"] == [str(known)]


async def test_what_was_told_meanwhile_is_one_change(synced: Synced) -> None:
    """While it is down nothing is lost; the last state gets there, the notes each."""
    await synced.portal.close()
    async with synced.running():
        await synced.deal(await dana(synced))
        for stage in (Stage.IN_PROGRESS, Stage.LOST, Stage.WON):
            await synced.move(stage)
        await synced.note("While it was down.")
        await synced.told(1)
        await synced.portal.open()
        await synced.settled()
        away, back = await synced.told(2)
    assert synced.portal.deal["STAGE_ID"] == "WON"
    assert len(synced.portal.comments) == 1
    assert "does not answer" in away
    assert "cannot be reached" in away
    assert "takes changes again" in back


@pytest.mark.parametrize(
    "trouble",
    [
        Trouble.LIMIT,
        Trouble.INTERNAL,
        Trouble.HTML,
        Trouble.HTML_200,
        Trouble.ERROR_200,
        Trouble.LOST,
        Trouble.CUT,
        Trouble.STRANGE,
    ],
)
async def test_any_call_may_fail_and_nothing_is_there_twice(synced: Synced, trouble: Trouble) -> None:
    """Each in turn, the answer of an addition lost after it was done among them."""
    portal = synced.portal
    names = (
        "contact.list",
        "findbycomm",
        "contact.add",
        "deal.list",
        "deal.add",
        "comment.list",
        "comment.add",
    )
    portal.troubles.extend((name, trouble) for name in names)
    async with synced.running():
        await synced.deal(await dana(synced))
        await synced.note("Once.")
        await synced.settled()
    assert not portal.troubles
    assert (len(portal.contacts), len(portal.deals), len(portal.comments)) == (1, 1, 1)
    assert portal.deal["CONTACT_IDS"] == [str(next(iter(portal.contacts)))]


async def test_an_answer_that_does_not_come_in_time(synced: Synced, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not waited for longer than the limit; what was done there meanwhile is found."""
    monkeypatch.setattr("bot.crm.bitrix24_api.SECONDS_IN_ALL", 0.2)
    portal = synced.portal
    portal.troubles.extend((name, Trouble.SILENT) for name in ("contact.add", "deal.add"))
    async with synced.running():
        await synced.deal(await dana(synced))
        await synced.settled()
    assert not portal.troubles
    assert (len(portal.contacts), len(portal.deals)) == (1, 1)


CLOSED = [
    (401, "INVALID_CREDENTIALS", "does not know this webhook"),
    (401, "expired_token", "does not know this webhook"),
    (401, "ACCESS_DENIED", "not part of the plan"),
    (401, "insufficient_scope", "tick CRM"),
    (404, "ERROR_METHOD_NOT_FOUND", "tick CRM"),
    (403, "", "no right"),
    (401, "OVERLOAD_LIMIT", "overload"),
    (401, "INVALID_REQUEST", "by https only"),
]


async def test_closed_doors_are_told_once_and_it_goes_on_when_they_open(synced: Synced) -> None:
    """In plain words, without the secret, however often it is tried; and that it works again."""
    portal = synced.portal
    async with synced.running():
        await synced.deal(await dana(synced))
        await synced.settled()
        for number, (status, code, words) in enumerate(CLOSED):
            portal.closed, before = (status, code), len(portal.calls)
            await synced.move(list(Stage)[(number + 1) % 4])
            await portal.until(lambda portal, before=before: len(portal.calls) >= before + 3)  # type: ignore[misc]
            *_, told = await synced.told(2 * number + 1)
            assert words in told
            assert "Waiting here: 1." in told
            assert "s3cr3tc0de" not in told
            portal.closed = None
            *_, back = await synced.told(2 * number + 2)
            assert "takes changes again" in back
        await synced.settled()
    assert portal.deal["STAGE_ID"] == "NEW"


async def test_a_key_that_was_wrong_from_the_start(synced: Synced) -> None:
    """With the right one after a restart everything gets there."""
    right, synced.portal.url = synced.portal.url, synced.portal.url.replace("s3cr3t", "other")
    async with synced.running():
        await synced.deal(await dana(synced))
        await synced.told(1)
    synced.portal.url = right
    async with synced.running():
        await synced.settled()
        await synced.told(2)
    assert synced.portal.deal["STAGE_ID"] == "NEW"


async def test_one_record_that_is_refused_stops_no_other(synced: Synced) -> None:
    """The operators hear which and why, once; it is tried again later."""
    portal = synced.portal
    portal.troubles.extend([("deal.add", Trouble.REFUSED)])
    async with synced.running():
        run = await dana(synced)
        await synced.deal(run)
        await portal.until(lambda portal: portal.named("crm.deal.add"), "the refusal")
        other = await posted(synced.company, "A website.", phone=TIMUR_PHONE, name="Timur")
        await synced.deal(other, "A website for the school.")
        await portal.until(lambda portal: len(portal.deals) == 1, "the other deal")
        assert "D-2" in portal.deal["TITLE"]
        synced.company.clock.forward(10_000)
        await synced.move(Stage.WON)
        await synced.settled()
        (told,) = await synced.told(1)
    assert "does not take D-1" in told
    assert len(portal.deals) == 2


async def test_a_deal_deleted_there_stays_deleted(synced: Synced) -> None:
    """People removed it on purpose, perhaps: it is told, not made again."""
    async with synced.running():
        await synced.deal(await dana(synced))
        await synced.settled()
        synced.portal.deals.clear()
        await synced.move(Stage.WON)
        (told,) = await synced.told(1)
    assert synced.portal.deals == {}
    assert "D-1 was deleted there" in told


async def test_merged_contacts_share_their_deals_there_too(synced: Synced) -> None:
    """The deals go to the contact that stands for both, and back when the merge is taken back."""
    portal, company = synced.portal, synced.company
    async with synced.running():
        await synced.deal(await company.lead("A CRM.", DANA))
        form = await posted(company, "A site.", email="dana@example.kz", name="Dana O.")
        await synced.deal(form, "A website for the clinic.")
        await synced.settled()
        first, second = portal.contacts
        merge = await merged(company, 1, form.contact_id, IGOR)
        assert merge is not None
        await synced.settled()
        assert {deal["CONTACT_IDS"][0] for deal in portal.deals.values()} == {str(first)}
        await company.store.transaction(lambda tx: tx.merges.undo(merge, IGOR, 1))
        await synced.settled()
    assert {deal["CONTACT_IDS"][0] for deal in portal.deals.values()} == {str(first), str(second)}


async def test_a_phone_that_is_vouched_for_gets_there(synced: Synced) -> None:
    async with synced.running():
        await synced.deal(await synced.company.lead("A CRM.", DANA))
        await synced.settled()
        await shared(synced.company, DANA, DANA_PHONE)
        await synced.settled()
    assert [item["VALUE"] for item in synced.portal.contact["PHONE"]] == [DANA_PHONE]


async def test_it_goes_on_after_a_restart(synced: Synced) -> None:
    """Stopped at any call: what is due is brought there by the next one, once."""
    await synced.deal(await dana(synced))
    await synced.note("Once.")
    for calls in range(1, 9):
        async with synced.running():
            await synced.portal.until(lambda portal, calls=calls: len(portal.calls) >= calls)  # type: ignore[misc]
    async with synced.running():
        await synced.settled()
    portal = synced.portal
    assert (len(portal.contacts), len(portal.deals), len(portal.comments)) == (1, 1, 1)


async def test_without_another_crm_nothing_is_written_for_one(
    company: Company, portal: Portal, unhurried: None
) -> None:
    """And when one is set, what is open by then gets there, with its notes."""
    synced = Synced(company=company, portal=portal)
    await synced.deal(await dana(synced))
    await synced.note("From before.")
    assert company.tamper("SELECT * FROM crm_outbox") == []
    await synced.connect()
    async with synced.running():
        await synced.settled()
    assert (portal.deal["TITLE"], len(portal.comments)) == ("D-1 · CRM · Dana O.", 1)
    await synced.connect(Provider.BUILTIN)
    await synced.move(Stage.WON)
    assert company.tamper("SELECT count(*) FROM crm_outbox WHERE dirty") == [(0,)]
    await synced.connect()
    async with synced.running():
        await synced.settled()
    assert portal.deal["STAGE_ID"] == "WON"


async def test_two_requests_a_second(portal: Portal, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten at once, then two a second, which the portal always takes."""
    waits: list[float] = []
    monkeypatch.setattr("bot.crm.bitrix24_api.monotonic", lambda: 0.0)
    api = Bitrix24Api(portal.url)

    async def asleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("bot.crm.bitrix24_api.asyncio.sleep", asleep)
    api._bucket._at = 0.0
    for _ in range(14):
        await api._bucket.wait()
    assert waits == [0.5, 1.0, 1.5, 2.0]


async def test_the_time_limit_is_waited_out(synced: Synced) -> None:
    """Until the moment that the answer names."""
    synced.portal.troubles.append(("deal.add", Trouble.TIME_LIMIT))
    async with synced.running():
        await synced.deal(await dana(synced))
        await synced.portal.until(lambda portal: portal.named("crm.deal.add"), "the limit")
    assert len(synced.portal.named("crm.deal.add")) == 1
    assert synced.portal.deals == {}


def test_settings(bare_environment: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Missing or wrong ones are named, and no secret with them."""
    from agent.errors import SettingsError
    from bot.settings import Settings

    monkeypatch.setenv("CRM", "bitrix24")
    with pytest.raises(SettingsError, match="BITRIX24_WEBHOOK_URL: missing"):
        Settings.load_for_serving()
    wrong: dict[str, Any] = {
        "BITRIX24_WEBHOOK_URL": "https://studio.bitrix24.kz/s3cr3t",
        "BITRIX24_STAGES": '{"sold": "WON"}',
        "CRM": "amo",
    }
    for name, value in wrong.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as raised:
        Settings.load()
    assert {fault.partition(":")[0] for fault in raised.value.faults} == set(wrong)
    assert "s3cr3t" not in str(raised.value)
    monkeypatch.setenv("BITRIX24_STAGES", '{"won": "C1:WON"}')
    monkeypatch.setenv("CRM", "builtin")
    monkeypatch.setenv("BITRIX24_WEBHOOK_URL", "https://studio.bitrix24.kz/rest/1/s3cr3t/")
    settings = Settings.load()
    assert settings.bitrix24_stages[Stage.WON] == "C1:WON"
    assert settings.bitrix24_stages[Stage.NEW] == "NEW"
    assert "s3cr3t" not in repr(settings)
