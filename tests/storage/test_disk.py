"""Full and read-only disks: told in clear words, nothing acknowledged is lost, all goes on afterwards."""

import asyncio
import subprocess
from pathlib import Path

import pytest

from agent.errors import LeadAgentError, UnwritableStorage
from agent.jsontext import JsonObject
from agent.runs import RunStatus
from agent.tools import Arguments, Risk, Scope, Tool
from bot.sandbox.script import call, say, turn
from storage.store import SqliteStore
from storage.transaction import SqliteTransaction
from tests.company import Company, open_company

FULL = "the disk is full"


def fill(disk: Path) -> Path:
    """A file that takes all the space there is."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while file.write(b"\0" * 65_536):
                pass
        except OSError:
            return ballast
    raise AssertionError


async def writing_on(company: Company, acknowledged: list[str]) -> None:
    """A lead who writes for as long as it is taken in."""
    for number in range(100_000):
        words = f"{number} " * 500
        await company.write(words, telegram_id=2)
        acknowledged.append(words)


def remount(disk: Path, mode: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{mode}", disk], check=True)


async def test_a_disk_that_fills_up_loses_only_what_was_not_acknowledged(small_disk: Path) -> None:
    """What was committed is there and readable, what failed is gone entirely, and freeing space is enough."""
    async with open_company(small_disk / "lead-agent.db") as company:
        company.script(turn(say("Done.")))
        run = await company.lead("before", telegram_id=1)
        ballast = fill(small_disk)
        acknowledged: list[str] = []
        with pytest.raises(UnwritableStorage, match=FULL):
            await writing_on(company, acknowledged)
        with pytest.raises(UnwritableStorage, match=FULL):
            await writing_on(company, acknowledged)
        assert (await company.run(run)).run_id == run.run_id
        ballast.unlink()
        await company.write("after", telegram_id=2)
        (later,) = await company.begin()
        lead = (await company.view(later)).lead
        assert lead.message.splitlines() == [*acknowledged, "after"]
        await company.restart()
        assert company.tamper("PRAGMA integrity_check") == [("ok",)]
        assert (await company.work(later)).status is RunStatus.DONE


async def test_a_tool_in_whose_middle_the_disk_fills_up_leaves_nothing(small_disk: Path) -> None:
    """SQLite undoes the whole transaction then: nothing that follows in it slips into the file on its own."""

    def greedy(_: Arguments, scope: Scope) -> JsonObject:
        for _number in range(200):  # 20 MB: more than the cache holds, so it fills up before the commit
            scope.crm.escalate(scope.lead, scope.run.id, "x" * 100_000, scope.at)
        return {}

    tool = Tool(name="greedy", description="-", risk=Risk.WRITE, arguments=Arguments, run=greedy)
    async with open_company(small_disk / "lead-agent.db") as company:
        company.connect(tool)
        company.script(turn(call("greedy"), call("get_customer_history")), turn(say("Done.")))
        run = await company.lead()
        with pytest.raises(UnwritableStorage, match=FULL):
            await company.engine.advance(run.id)
        assert await company.journal(run) == []
        assert company.tamper("SELECT count(*) FROM transcript") == [(1,)]
        assert company.tamper("SELECT count(*) FROM escalations") == [(0,)]


async def test_one_transaction_that_fills_the_disk_spoils_no_other(small_disk: Path) -> None:
    """Those that waited for the same commit hear that they failed too, or are stored: never half of one."""
    async with open_company(small_disk / "lead-agent.db") as company:

        def greedy(tx: SqliteTransaction) -> None:
            for _ in range(200):
                company.say(tx, "x" * 100_000, 1, "Greedy")

        outcomes = await asyncio.gather(
            company.write("small", telegram_id=2),
            company.store.transaction(greedy),
            company.write("small", telegram_id=3),
            return_exceptions=True,
        )
        assert isinstance(outcomes[1], UnwritableStorage)
        stored = {telegram_id for (telegram_id,) in company.tamper("SELECT telegram_id FROM contacts")}
        acknowledged = {id for id, outcome in zip((2, 1, 3), outcomes, strict=True) if outcome is None}
        assert stored == acknowledged


async def test_a_full_disk_is_told_at_the_start(small_disk: Path) -> None:
    """A new database that finds no space says so, and can be opened once there is some."""
    ballast = fill(small_disk)
    with pytest.raises(UnwritableStorage, match=FULL):
        async with SqliteStore(small_disk / "lead-agent.db"):
            pass
    ballast.unlink()
    async with SqliteStore(small_disk / "lead-agent.db") as store:
        assert await store.transaction(lambda tx: tx.alarms.queued(0)) == []


async def test_a_read_only_disk_is_told_at_the_start(small_disk: Path) -> None:
    """With a database on it or without one, the words say what to check."""
    async with SqliteStore(small_disk / "lead-agent.db"):
        pass
    remount(small_disk, "ro")
    for name in ("lead-agent.db", "new.db", "folder/new.db"):
        with pytest.raises(UnwritableStorage, match="cannot be written: check the rights"):
            async with SqliteStore(small_disk / name):
                pass
    remount(small_disk, "rw")
    async with SqliteStore(small_disk / "lead-agent.db"):
        pass


def test_the_words_are_the_trees_own() -> None:
    """Whoever catches the tree's root catches a full disk."""
    assert issubclass(UnwritableStorage, LeadAgentError)
