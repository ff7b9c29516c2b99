"""The journal tells every step, is never changed, and is shown live only once it is true."""

import asyncio
import sqlite3
from threading import Event

import pytest

from agent.journal import Kind, Record
from agent.proposals import Verdict
from agent.runs import RunStatus
from bot.sandbox.script import call, say, turn
from storage.commit import Commit
from storage.transaction import SqliteTransaction
from tests.company import HELLO, HOUR, OLGA, Company, deal, reply

TALK = (turn(call("get_customer_history"), deal(), reply(f" {HELLO} ")), turn(say("Done.")))


async def test_every_step_is_one_record_in_order(company: Company) -> None:
    """Model, tools, proposal, decision, execution and the end, each once, numbered without a gap."""
    run, proposal = await company.waiting(*TALK)
    company.clock.forward(HOUR)
    await company.settle(run, Verdict.APPROVE)
    records = await company.journal(run)
    assert [(record.seq, record.step, record.kind, record.name, record.outcome) for record in records] == [
        (1, 1, "model", "claude-opus-5-5", "tool_use"),
        (2, 1, "tool", "get_customer_history", "ok"),
        (3, 1, "tool", "create_deal", "ok"),
        (4, 1, "proposal", "send_reply", "pending"),
        (5, 1, "decision", "send_reply", "approve"),
        (6, 1, "execution", "send_reply", "executing"),
        (7, 1, "execution", "send_reply", "executed"),
        (8, 1, "tool", "send_reply", "ok"),
        (9, 2, "model", "claude-opus-5-5", "end_turn"),
        (10, 2, "run", "lead", "done"),
    ]
    assert [record.tokens for record in records if record.kind is Kind.MODEL] == [1_920, 1_920]
    inputs = {record.name: record.input for record in records if record.kind is Kind.TOOL}
    assert inputs == {
        "get_customer_history": {},
        "create_deal": deal().input,
        "send_reply": {"text": HELLO},  # as it was approved and sent: trimmed
    }
    decision = records[4]
    assert (decision.ms, decision.note) == (HOUR, f"{OLGA.name} ({OLGA.id})")
    assert {record.proposal_id for record in records[3:8]} == {proposal.proposal_id}
    assert all(record.ms >= 0 and record.at for record in records)


async def test_refused_input_is_journaled_as_it_came(company: Company) -> None:
    """What a model sent that was refused can be read afterwards, whatever it was."""
    odd = {"phone": "+77779999999", "deep": [{"a": None}], "text": "x\ud800"}
    company.script(turn(call("send_reply", odd), call("nothing_like_it", odd)), turn(say("Done.")))
    run = await company.work(await company.lead())
    tools = await company.journal(run, Kind.TOOL)
    assert [record.outcome for record in tools] == ["invalid", "unknown_tool"]
    assert all(record.input == odd | {"text": "x�"} for record in tools)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE journal SET outcome = 'ok'",
        "DELETE FROM journal WHERE seq = 1",
        "UPDATE decisions SET person_id = 2",
        "DELETE FROM decisions",
    ],
)
async def test_the_database_itself_refuses_changes(company: Company, statement: str) -> None:
    """Not even a connection that goes around the program rewrites the journal or the decisions."""
    run, _ = await company.waiting(*TALK)
    await company.settle(run, Verdict.APPROVE)
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        company.tamper(statement)


async def test_a_record_is_shown_once_it_is_committed(company: Company) -> None:
    """Whoever watches hears of every record, with its run and number, and finds it stored already."""
    heard: list[Record] = []
    stored: list[int] = []

    def watch(commit: Commit) -> None:
        heard.extend(commit.records)
        stored.append(len(company.tamper("SELECT seq FROM journal")))

    company.store.subscribe(watch)
    run, _ = await company.waiting(*TALK)
    await company.settle(run, Verdict.APPROVE)
    assert heard == await company.journal(run)
    assert stored[-1] == len(heard)
    assert stored == sorted(stored)


async def test_nothing_is_shown_of_what_was_rolled_back(company: Company) -> None:
    """A transaction that fails is neither stored nor told, and the next one tells nothing of it."""
    run, _ = await company.waiting(*TALK)
    heard: list[Commit] = []
    company.store.subscribe(heard.append)
    before = await company.journal(run)

    def fail(tx: SqliteTransaction) -> None:
        tx.record(run.id, Record(step=1, kind=Kind.RUN, name="lead", outcome="lie", ms=0))
        tx.alert(run.id)
        tx.runs.queue(run.id)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await company.store.transaction(fail)
    await company.store.transaction(lambda tx: tx.alert(run.id))
    assert await company.journal(run) == before
    assert (await company.run(run)).status is RunStatus.AWAITING_CONFIRMATION
    assert heard == [Commit(outgoing=True)]


async def test_a_cancelled_wait_loses_no_news(company: Company) -> None:
    """Who waited for the commit is gone; what was committed still is told, so nobody waits for ever."""
    run, proposal = await company.waiting(*TALK)
    heard: asyncio.Queue[Commit] = asyncio.Queue()
    company.store.subscribe(heard.put_nowait)
    inside, proceed = Event(), Event()

    def decide(tx: SqliteTransaction) -> None:
        inside.set()
        assert proceed.wait(10)
        company.engine.approvals.decide(tx, tx.proposals.get(proposal.id), Verdict.APPROVE, OLGA)

    waiting = asyncio.create_task(company.store.transaction(decide))
    assert await asyncio.to_thread(inside.wait, 10)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    proceed.set()
    commit = await asyncio.wait_for(heard.get(), 10)
    assert commit.queued == [run.id]
    assert [record.outcome for record in commit.records] == ["approve"]


def test_a_line_leaves_out_what_does_not_apply() -> None:
    """`journal --json`: a time with its zone, and no nulls."""
    record = Record(step=1, kind=Kind.MODEL, name="m", outcome="end_turn", ms=4, tokens=0, at=1_234, seq=7)
    assert record.as_json() == {
        "seq": 7,
        "at": "1970-01-01T00:00:01.234+00:00",
        "step": 1,
        "kind": "model",
        "name": "m",
        "outcome": "end_turn",
        "ms": 4,
        "tokens": 0,
    }
