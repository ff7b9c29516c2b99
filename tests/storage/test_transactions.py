"""A transaction is whole or not there, on the disk when it says so, and alone in its failure."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import suppress

import pytest

from agent.deals import Service
from agent.errors import StorageError
from storage.transaction import SqliteTransaction
from tests.company import Company

NORMAL, FULL = 1, 2


def synchronous(tx: SqliteTransaction) -> int:
    """What the commit of this transaction will wait for."""
    return int(tx._sql._connection.execute("PRAGMA synchronous").fetchone()[0])


async def test_durable_transactions_wait_for_the_disk(company: Company) -> None:
    """FULL unless the caller said that losing it costs nothing, and FULL again right after that."""
    levels = [
        await company.store.transaction(synchronous),
        await company.store.transaction(synchronous, durable=False),
        await company.store.transaction(synchronous),
    ]
    assert levels == [FULL, NORMAL, FULL]


async def test_a_durable_one_among_others_waits_for_the_disk(company: Company) -> None:
    """Where several are committed together, the strictest wish counts."""
    levels = await asyncio.gather(
        *[company.store.transaction(synchronous, durable=number == 3) for number in range(6)]
    )
    assert levels[3] == FULL


async def test_a_fault_undoes_its_own_transaction_and_no_other(company: Company) -> None:
    """Many at once, some fail in the middle: exactly the others are stored, each caller hears of its own."""

    def write(number: int) -> Callable[[SqliteTransaction], int]:
        def function(tx: SqliteTransaction) -> int:
            company.say(tx, f"word {number}", 100 + number, "Dana")
            if number % 3 == 0:
                raise ZeroDivisionError(number)
            return number

        return function

    outcomes = await asyncio.gather(
        *[company.store.transaction(write(number)) for number in range(30)],
        return_exceptions=True,
    )
    expected = [number for number in range(30) if number % 3]
    assert [str(outcome) for outcome in outcomes] == [str(number) for number in range(30)]
    assert [type(outcome) for outcome in outcomes] == [ZeroDivisionError, int, int] * 10
    stored = [text for (text,) in company.tamper("SELECT text FROM messages ORDER BY contact_id")]
    assert stored == [f"word {number}" for number in expected]


async def test_a_savepoint_undoes_its_inside_only(company: Company) -> None:
    """What was written before and after stays."""

    def function(tx: SqliteTransaction) -> None:
        company.say(tx, "before", 1, "Dana")
        with suppress(ZeroDivisionError), tx.savepoint():
            company.say(tx, "inside", 2, "Dana")
            raise ZeroDivisionError
        with tx.savepoint():
            company.say(tx, "after", 3, "Dana")

    await company.store.transaction(function)
    assert company.tamper("SELECT text FROM messages ORDER BY id") == [("before",), ("after",)]


async def test_the_databases_own_refusals_are_errors_of_ours(company: Company) -> None:
    """Foreign keys are enforced, and sqlite3's errors come as the tree's, with the cause kept."""

    def orphan(tx: SqliteTransaction) -> None:
        tx.crm.create_deal(
            lead=tx.runs.lead(run),
            run_id=12_345,
            service=Service.CRM,
            summary="-",
            at=0,
        )

    run = await company.lead()
    with pytest.raises(StorageError, match="FOREIGN KEY") as caught:
        await company.store.transaction(orphan)
    assert isinstance(caught.value.__cause__, sqlite3.IntegrityError)


async def test_what_is_to_follow_a_commit_follows_no_rollback(company: Company) -> None:
    """It is called once its own transaction is stored, before the observers, and never for another's."""
    called: list[str] = []

    def write(number: int) -> Callable[[SqliteTransaction], None]:
        def function(tx: SqliteTransaction) -> None:
            company.say(tx, "word", number, "Dana")
            tx.after_commit(lambda: called.append(f"call {number}"))
            if number == 2:
                raise ZeroDivisionError

        return function

    company.store.subscribe(lambda commit: called.append("observer"))
    await asyncio.gather(
        *[company.store.transaction(write(number)) for number in (1, 2, 3)], return_exceptions=True
    )
    assert called == ["call 1", "observer", "call 3", "observer"]


async def test_transactions_run_in_the_order_they_were_asked_for(company: Company) -> None:
    """Nobody overtakes: what a task wrote first is first in the file."""
    await asyncio.gather(*[company.write(f"word {number}", telegram_id=number) for number in range(50)])
    assert company.tamper("SELECT telegram_id FROM contacts ORDER BY id") == [
        (number,) for number in range(50)
    ]


async def test_a_cancelled_task_disturbs_no_other(company: Company) -> None:
    """Its transaction may be stored or not, whole in either case; those beside it are."""
    tasks = [asyncio.create_task(company.write(f"word {number}", telegram_id=number)) for number in range(10)]
    await asyncio.sleep(0)
    tasks[4].cancel()
    outcomes = await asyncio.gather(*tasks, return_exceptions=True)
    assert [outcome for outcome in outcomes if outcome is not None] == [outcomes[4]]
    assert isinstance(outcomes[4], asyncio.CancelledError)
    texts = {text for (text,) in company.tamper("SELECT text FROM messages")}
    assert texts >= {f"word {number}" for number in range(10) if number != 4}
    assert await company.store.transaction(lambda tx: len(tx.contacts.due_bursts(2**60))) == len(texts)
