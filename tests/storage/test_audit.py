"""The decision log is a chain: whatever is changed in it or taken out of it is found."""

import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agent.audit import Verification
from agent.proposals import Correction, Verdict
from storage.audit import AuditLog
from storage.sql import Sql
from storage.store import open_reader
from tests.company import IGOR, OLGA, Company, open_company

OWN = "Hello, Dana! Olga here: I will call you at three."
ENTRIES = 5


@pytest.fixture
async def company(tmp_path: Path) -> AsyncIterator[Company]:
    """A company with five decisions on three proposals."""
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


@contextmanager
def unguarded(company: Company) -> Iterator[sqlite3.Connection]:
    """What somebody with the file has: a connection, without the triggers."""
    with closing(sqlite3.connect(company.path)) as connection, connection:
        connection.row_factory = sqlite3.Row
        for name in (1, 2):
            connection.execute(f"DROP TRIGGER IF EXISTS decisions_are_append_only_{name}")
        yield connection


def tamper(company: Company, *statements: str) -> None:
    """Do what such a person can."""
    with unguarded(company) as connection:
        for statement in statements:
            connection.execute(statement)


async def test_a_log_that_nobody_touched_is_whole(company: Company) -> None:
    """All entries verify, and a head that was printed earlier stands in the chain for ever."""
    found = await verified(company)
    assert (found.fault, found.entries) == (None, ENTRIES)
    again = await verified(company, found.head[:12])
    assert again.expected
    assert not (await verified(company, "0" * 12)).expected


COLUMNS = (
    "id proposal_id verdict person_id person_name arguments_hash at version note hash".split()  # noqa: SIM905
)
NUMBERS = {"id", "proposal_id", "person_id", "at", "version"}
NULLABLE = {"version", "note", "hash"}


def changed(column: str, value: str | int | None) -> st.SearchStrategy[Any]:
    """Another value of a column: another number, another text or one letter of it, or nothing."""
    other: st.SearchStrategy[Any] = st.integers(-(2**62), 2**62) if column in NUMBERS else st.text(max_size=5)
    if isinstance(value, str) and value:
        letter = st.tuples(st.integers(0, len(value) - 1), st.characters(exclude_categories=["Cs"]))
        other |= letter.map(lambda new: value[: new[0]] + new[1] + value[new[0] + 1 :])
    return (other | st.none() if column in NULLABLE else other).filter(lambda new: new != value)


async def test_every_change_is_found(company: Company) -> None:
    """Of any letter of any column of any entry; and the entry is named, unless its number was changed."""
    with unguarded(company) as connection:

        @settings(max_examples=100)
        @given(entry=st.integers(1, ENTRIES), column=st.sampled_from(COLUMNS), data=st.data())
        def every_change(entry: int, column: str, data: st.DataObject) -> None:
            (value,) = connection.execute(f"SELECT {column} FROM decisions WHERE id = ?", [entry]).fetchone()
            new = data.draw(changed(column, value))
            assume(column != "id" or not 1 <= new <= ENTRIES)
            connection.execute(f"UPDATE decisions SET {column} = ? WHERE id = ?", [new, entry])
            try:
                fault = str(AuditLog(Sql(connection)).verify().fault)
            finally:
                connection.rollback()
            assert fault.startswith("entry " if column == "id" else f"entry {entry} "), fault

        every_change()


@pytest.mark.parametrize("entry", range(1, ENTRIES))
async def test_a_missing_entry_is_found(company: Company, entry: int) -> None:
    """The one after it does not fit what stands before it."""
    tamper(company, f"DELETE FROM decisions WHERE id = {entry}")
    assert f"entry {entry + 1} " in str((await verified(company)).fault)


@pytest.mark.parametrize("kept", range(ENTRIES))
async def test_an_end_that_was_cut_off_is_found(company: Company, kept: int) -> None:
    """However many entries were taken away, and for ever: the next one does not fit what is left."""
    tamper(company, f"DELETE FROM decisions WHERE id > {kept}")
    words = f"the log ends with entry {kept}, and not with entry {ENTRIES} as it was written"
    assert (await verified(company)).fault == words
    third = await company.store.transaction(lambda tx: tx.proposals.get(3))
    await company.press(third, Verdict.UNDO)
    assert f"entry {ENTRIES + 1} " in str((await verified(company)).fault)


async def test_an_end_that_was_cut_off_with_its_trace_is_found_by_the_proposal(company: Company) -> None:
    """Whoever also rewrites the head has to rewrite what the proposal says of itself."""
    cut = f"DELETE FROM decisions WHERE id = {ENTRIES}"
    head = "UPDATE audit_head SET (entry, hash) = (SELECT max(id), hash FROM decisions)"
    tamper(company, cut, head)
    assert (await verified(company)).fault == "P-3 is approved, and no entry says so"


async def test_a_missing_head_is_found(company: Company) -> None:
    """A log that is a chain does not lose sight of its end."""
    tamper(company, "DELETE FROM audit_head")
    assert "which entry was written last" in str((await verified(company)).fault)


async def test_an_altered_proposal_is_found(company: Company) -> None:
    """What was approved is what the proposal says, by its hash."""
    tamper(company, "UPDATE proposals SET arguments_hash = 'x' WHERE id = 1")
    assert "P-1" in str((await verified(company)).fault)


async def test_entries_from_before_the_chain_are_covered_by_its_beginning(company: Company) -> None:
    """A log that began without hashes goes on with them, and its old entries cannot be changed either."""
    tamper(company, "UPDATE decisions SET hash = NULL, version = NULL", "DELETE FROM audit_head")
    older = await verified(company)
    assert (older.fault, older.unchained) == (None, ENTRIES)
    await company.write("One more.", 80)
    (run,) = await company.begin()
    run = await company.work(run)
    await company.press(await company.proposal(run), Verdict.APPROVE)
    chained = await verified(company)
    assert (chained.fault, chained.unchained, chained.entries) == (None, ENTRIES, ENTRIES + 1)
    tamper(company, "UPDATE decisions SET person_id = 7 WHERE id = 2")
    assert f"entry {ENTRIES + 1} " in str((await verified(company)).fault)


async def test_the_log_refuses_changes(company: Company) -> None:
    """As long as its triggers are there."""
    for statement in ("UPDATE decisions SET at = 0", "DELETE FROM decisions"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            company.tamper(statement)
