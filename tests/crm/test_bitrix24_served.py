"""The served bot with Bitrix24 beside it, and what `lead-agent check` says of that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from bot.check import check
from bot.sandbox.script import Script, say, turn
from tests.bot.harness import Office
from tests.company import deal
from tests.crm.portal import CODE, Portal, Trouble
from tests.crm.program import serve


async def test_a_deal_of_the_agent_is_worked_in_both(
    stopped: Office, portal: Portal, bare_environment: None, unhurried: None
) -> None:
    """From the lead's words to the stage that an operator presses; the log holds no secret."""
    stopped.api.model = Script([turn(deal()), turn(say("Done."))])
    await stopped.start(crm="bitrix24", bitrix24_webhook_url=portal.url)
    stopped.lead("Dana", username="dana_o")
    await portal.until(lambda portal: portal.deals, "the deal")
    assert portal.contact["IM"] == [{"VALUE": "dana_o", "VALUE_TYPE": "TELEGRAM"}]
    stopped.world.say(stopped.olga, "/deal D-1", chat_id=stopped.group_id)
    card = await stopped.shown("💼", "D-1")
    await stopped.pressed(card, "In progress")
    await stopped.command("/note D-1 Asked to call on Monday.")
    await portal.until(lambda portal: portal.comments, "the note")
    assert portal.deal["STAGE_ID"] == "EXECUTING"
    stopped.refusals_expected = True  # a press that is handled again after a restart is too old to answer
    await stopped.restart(crm="bitrix24", bitrix24_webhook_url=portal.url.replace(CODE, "wr0ng"))
    await stopped.pressed(card, "Won")
    await stopped.shown("Nothing reaches the other CRM", "BITRIX24_WEBHOOK_URL")
    await stopped.restart(crm="bitrix24", bitrix24_webhook_url=portal.url)
    await portal.until(lambda portal: portal.deal["STAGE_ID"] == "WON", "the stage")
    await stopped.shown("takes changes again")
    assert not any(secret in line for line in stopped.log for secret in (CODE, "wr0ng"))


async def test_nothing_is_there_twice_after_kill_9(bot: Office, portal: Portal) -> None:
    """Killed after an addition whose answer did not come; what serves next finds it there."""
    bot.lead("Dana")
    await bot.ended()
    await bot.stop()
    portal.troubles.append(("deal.add", Trouble.LOST))
    async with served(bot, portal):
        await portal.until(lambda portal: portal.deals, "the deal")
    async with served(bot, portal):
        await portal.until(lambda portal: [name for name, _ in portal.calls][-1] == "crm.deal.update")
    assert not portal.troubles
    assert (len(portal.contacts), len(portal.deals)) == (1, 1)
    assert portal.deal["CONTACT_IDS"] == [str(next(iter(portal.contacts)))]


@asynccontextmanager
async def served(office: Office, portal: Portal) -> AsyncIterator[None]:
    """The real program, killed at the end."""
    process = await serve(office, CRM="bitrix24", BITRIX24_WEBHOOK_URL=portal.url)
    try:
        yield
    finally:
        process.kill()
        await process.wait()


async def checked(capsys: pytest.CaptureFixture[str]) -> str:
    """The line that `lead-agent check` prints of Bitrix24."""
    await asyncio.to_thread(check)
    lines = capsys.readouterr().out.splitlines()
    return next(line for line in lines if "bitrix24:" in line)


async def test_check_tries_the_connection(
    portal: Portal,
    bare_environment: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Reached, allowed, with these stages; each fault in words that say what to do, and nothing is added."""
    for name, value in (
        ("CRM", "bitrix24"),
        ("BITRIX24_WEBHOOK_URL", portal.url),
        ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9"),
        ("TELEGRAM_API_URL", "http://127.0.0.1:9"),
    ):
        monkeypatch.setenv(name, value)
    assert (
        await checked(capsys) == "ok    bitrix24: 127.0.0.1 takes contacts, deals and comments; nothing waits"
    )
    monkeypatch.setenv("BITRIX24_STAGES", '{"won": "C1:WON", "lost": "C1:GONE"}')
    assert "there is no stage C1:GONE; there are C1:EXECUTING, C1:LOSE" in await checked(capsys)
    monkeypatch.delenv("BITRIX24_STAGES")
    portal.closed = (401, "insufficient_scope")
    assert "FAULT bitrix24: the webhook may not use the CRM; tick CRM (crm)" in await checked(capsys)
    monkeypatch.setenv("BITRIX24_WEBHOOK_URL", portal.url.replace(CODE, "wr0ng"))
    wrong = await checked(capsys)
    assert "does not know this webhook" in wrong
    assert "wr0ng" not in wrong
    await portal.close()
    assert "cannot be reached" in await checked(capsys)
    assert {method for method, _ in portal.calls} <= {"crm.status.list", "crm.deal.list"}
