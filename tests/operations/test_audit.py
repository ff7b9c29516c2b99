"""Who decided what: /audit for the group, `lead-agent audit` for the admin."""

from __future__ import annotations

import asyncio
import json
import re
from datetime import UTC, datetime
from html import unescape

import pytest

from agent.jsontext import digest
from agent.proposals import Correction, Verdict
from bot.__main__ import main
from bot.settings import Language
from bot.texts import texts
from tests.bot.harness import APPROVE, HELLO, Office, text_of


@pytest.fixture
async def decided(bot: Office, monkeypatch: pytest.MonkeyPatch) -> Office:
    """An office with one approved reply; the command finds its database."""
    bot.lead()
    await bot.pressed(await bot.card("Dana"), APPROVE)
    await bot.ended()
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{bot.path}")
    monkeypatch.setenv("TIME_ZONE", "UTC")
    return bot


async def test_the_group_asks_who_decided(decided: Office) -> None:
    """Time, person, verdict, which proposal in which version, and the hash of what was approved."""
    today = datetime.now(UTC).date().isoformat()
    for command in ("/audit", f"/audit {today}", "/audit olga", f"/audit {decided.olga.id} {today}"):
        answer = unescape(text_of(await decided.command(command)))
        assert re.search(r"Olga · approved · P-1 v1 · " + digest({"text": HELLO})[:12], answer), command
    for command in ("/audit 2001-01-01", "/audit Igor"):
        assert "no such decisions" in text_of(await decided.command(command))
    assert "Write a day" in text_of(await decided.command("/audit 2026-13-45"))


@pytest.mark.parametrize("language", Language)
def test_every_verdict_has_words(language: Language) -> None:
    """The log is read by people."""
    assert set(texts(language).verdicts) == {*Verdict, *Correction}


async def test_the_command_lists_and_verifies(decided: Office, capsys: pytest.CaptureFixture[str]) -> None:
    """The same as JSON; --verify prints the head, and fails on a log that was touched."""
    assert await asyncio.to_thread(main, ["audit", "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert (entry["verdict"], entry["proposal_id"]) == ("approve", "P-1")
    assert entry["person"] == {"id": decided.olga.id, "name": "Olga"}
    assert await asyncio.to_thread(main, ["audit", "--verify"]) == 0
    head = re.fullmatch(r"whole: 1 decisions, head ([0-9a-f]{64})\n", capsys.readouterr().out)
    assert head is not None
    assert await asyncio.to_thread(main, ["audit", "--verify", "--expect", head[1]]) == 0
    assert await asyncio.to_thread(main, ["audit", "--verify", "--expect", "f" * 64]) == 1
    decided.rows("DROP TRIGGER decisions_are_append_only_1")
    decided.rows("UPDATE decisions SET person_name = 'Eve'")
    capsys.readouterr()
    assert await asyncio.to_thread(main, ["audit", "--verify"]) == 1
    assert "entry 1 (P-1, approve)" in capsys.readouterr().out
    assert await asyncio.to_thread(main, ["audit", "--date", "yesterday"]) == 2
