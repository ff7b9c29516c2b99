"""The decision log is a chain: whatever is changed in it or taken out of it is found."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest

from agent.audit import Verification
from agent.proposals import Correction, Verdict
from storage.store import open_reader
from tests.company import IGOR, OLGA, Company, open_company

OWN = "Hello, Dana! Olga here: I will call you at three."
CHANGES = {
    "verdict": "verdict || '!'",
    "person_id": "person_id + 1",
    "person_name": "person_name || ' '",
    "arguments_hash": "replace(arguments_hash, substr(arguments_hash, 1, 1), 'x')",
    "at": "at + 1",
    "version": "version + 1",
    "note": "coalesce(note, '') || '!'",
    "proposal_id": "1 + proposal_id % 2",
    "hash": "NULL",
}
ENTRIES = 5


@pytest.fixture
async def company(tmp_path: Path) -> AsyncIterator[Company]:
    """A company with five decisions on two proposals."""
    async with open_company(tmp_path / "lead-agent.db") as company:
        run, first = await company.waiting()
        await company.correct(first, Correction.EDIT, OWN)
        await company.settle(run, Verdict.APPROVE, IGOR)
        await company.write("And a website, please.", 78)
        (second,) = await company.begin()
        second = await company.work(second)
        await company.settle(second, Verdict.DENY, OLGA)
        await company.correct(await company.proposal(second), Correction.REASON, "wrong facts", IGOR)
        await company.write("A shop.", 79)
        (third,) = await company.begin()
        third = await company.work(third)
        await company.press(await company.proposal(third), Verdict.APPROVE, OLGA)
        yield company


async def verified(company: Company, expected: str | None = None) -> Verification:
    async with await open_reader(company.path) as reader:
        return await reader.read(lambda tx: tx.audit.verify(expected))


def tamper(company: Company, *statements: str) -> None:
    """What somebody with the file could do: without the triggers."""
    with closing(sqlite3.connect(company.path)) as connection, connection:
        for name in (1, 2):
            connection.execute(f"DROP TRIGGER IF EXISTS decisions_are_append_only_{name}")
        for statement in statements:
            connection.execute(statement)


async def test_a_log_that_nobody_touched_is_whole(company: Company) -> None:
    """All entries verify, and a head that was printed earlier stands in the chain for ever."""
    found = await verified(company)
    assert (found.fault, found.entries) == (None, ENTRIES)
    again = await verified(company, found.head[:12])
    assert again.expected
    assert not (await verified(company, "0" * 12)).expected


@pytest.mark.parametrize("column", CHANGES)
@pytest.mark.parametrize("entry", [2, 3])
async def test_every_change_names_the_first_broken_entry(company: Company, column: str, entry: int) -> None:
    """Whichever column of whichever entry was changed."""
    tamper(company, f"UPDATE decisions SET {column} = {CHANGES[column]} WHERE id = {entry}")
    found = await verified(company)
    assert found.fault is not None
    assert found.fault.startswith(f"entry {entry} ")


async def test_a_missing_entry_is_found(company: Company) -> None:
    """In the middle by the chain; at the end by the proposal that is said to be decided."""
    tamper(company, "DELETE FROM decisions WHERE id = 2")
    assert "entry 3 " in str((await verified(company)).fault)


async def test_a_missing_last_entry_is_found(company: Company) -> None:
    """The chain cannot show it: the proposal's own state does."""
    tamper(company, f"DELETE FROM decisions WHERE id = {ENTRIES}")
    assert (await verified(company)).fault == "P-3 is approved, and no entry says so"


async def test_an_altered_proposal_is_found(company: Company) -> None:
    """What was approved is what the proposal says, by its hash."""
    tamper(company, "UPDATE proposals SET arguments_hash = 'x' WHERE id = 1")
    assert "P-1" in str((await verified(company)).fault)


async def test_entries_from_before_the_chain_are_covered_by_its_beginning(company: Company) -> None:
    """A log that began without hashes goes on with them, and its old entries cannot be changed either."""
    tamper(company, "UPDATE decisions SET hash = NULL, version = NULL")
    await company.write("One more.", 80)
    (run,) = await company.begin()
    run = await company.work(run)
    await company.press(await company.proposal(run), Verdict.APPROVE)
    assert (await verified(company)).fault is None
    tamper(company, "UPDATE decisions SET person_id = 7 WHERE id = 2")
    assert f"entry {ENTRIES + 1} " in str((await verified(company)).fault)


async def test_the_log_refuses_changes(company: Company) -> None:
    """As long as its triggers are there."""
    for statement in ("UPDATE decisions SET at = 0", "DELETE FROM decisions"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            company.tamper(statement)
