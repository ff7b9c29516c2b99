"""The manual stop: nothing is asked and nothing leaves while it is on, nothing is lost, all goes on after."""

import asyncio
import sqlite3
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from agent import pauses
from agent.errors import NotSent, TranscriptRefused
from agent.journal import Kind
from agent.jsontext import JsonObject
from agent.outgoing import Lane, Note
from agent.ports import Reply
from agent.proposals import ProposalState, Verdict
from agent.runs import Person, Run, RunStatus, Spec
from bot.sandbox.model_faults import Fault, FaultKind
from bot.sandbox.script import call, say, think, turn
from storage.transaction import SqliteTransaction
from tests.company import HELLO, OLGA, SECOND, Company, deal, open_company, reply

DONE = turn(say("Done."))
ADMIN = Person(id=9, name="Aida")


async def switch(company: Company, *, paused: bool) -> pauses.Turned:
    return await company.store.transaction(lambda tx: company.engine.switch(tx, paused=paused, person=ADMIN))


async def pause(company: Company) -> None:
    assert (await switch(company, paused=True)).changed


async def resume(company: Company) -> None:
    assert (await switch(company, paused=False)).changed


async def go_on(company: Company) -> None:
    """What the worker does: everything that is due."""
    for id in await company.due():
        await company.engine.advance(id)


async def test_a_lead_that_comes_during_a_pause_waits_and_is_shown(company: Company) -> None:
    """No call of the model; people see the run's card; after the resume it goes its way."""
    company.script(DONE)
    await pause(company)
    run = await company.work(await company.lead())
    assert (run.status, company.requests, await company.due()) == (RunStatus.QUEUED, [], [])
    assert await company.alerted(run)
    await resume(company)
    await go_on(company)
    assert (await company.run(run)).status is RunStatus.DONE


async def test_what_was_approved_before_the_pause_waits_and_leaves_once(company: Company) -> None:
    """An approval does not outrun the stop, not even over restarts."""
    run, proposal = await company.waiting()
    await company.press(proposal, Verdict.APPROVE)
    await pause(company)
    for _ in range(2):
        run = await company.work(run)
        await company.restart()
        await go_on(company)
    assert (company.channel.sent, (await company.proposal(run)).state) == ([], ProposalState.APPROVED)
    assert not await company.alerted(run)  # the card of the proposal shows it
    await resume(company)
    await go_on(company)
    assert (company.channel.texts, (await company.run(run)).status) == ([HELLO], RunStatus.DONE)


@pytest.mark.parametrize("verdict", [Verdict.APPROVE, Verdict.DENY])
async def test_a_decision_during_the_pause_counts_and_waits(company: Company, verdict: Verdict) -> None:
    """It is stored with its person; what follows from it comes after the resume."""
    run, proposal = await company.waiting()
    await pause(company)
    decision = await company.press(proposal, verdict)
    await company.work(run)
    assert (decision.refusal, decision.waits, company.channel.sent) == (None, True, [])
    assert (await company.proposal(run)).decided_by == OLGA
    assert len(company.requests) == 1
    await resume(company)
    await go_on(company)
    assert (await company.run(run)).status is RunStatus.DONE
    assert company.channel.texts == ([HELLO] if verdict is Verdict.APPROVE else [])


async def test_a_delayed_sending_waits_for_the_resume(company: Company) -> None:
    """What Telegram asked to send later is not sent when its time comes during the pause."""
    run, proposal = await company.waiting()
    company.channel.faults.append(NotSent("flood control", retry_after=1))
    await company.press(proposal, Verdict.APPROVE)
    await company.work(run)
    await pause(company)
    company.clock.forward(5 * SECOND)
    await go_on(company)
    assert (company.channel.sent, await company.due()) == ([], [])
    await resume(company)
    await go_on(company)
    assert company.channel.texts == [HELLO]


async def test_a_call_under_way_ends_and_none_follows(company: Company) -> None:
    """The answer that was paid for is kept with all its inside effects; the next call waits."""
    company.script(turn(deal()), DONE)
    run = await company.lead()
    asked, thaw = asyncio.Event(), asyncio.Event()

    class Frozen:
        async def reply(self, spec: Spec, messages: list[JsonObject], *, max_tokens: int) -> Reply:
            answer = await company.model.reply(spec, messages, max_tokens=max_tokens)
            asked.set()
            await thaw.wait()
            return answer

    task = asyncio.create_task(company.engine_of(company.agent, Frozen()).advance(run.id))
    await asyncio.wait_for(asked.wait(), 10)
    await pause(company)
    thaw.set()
    await task
    run = await company.run(run)
    assert (run.status, run.steps, len(company.requests)) == (RunStatus.QUEUED, 1, 1)
    assert len((await company.view(run)).deals) == 1
    assert await company.alerted(run)
    await resume(company)
    await go_on(company)
    assert (await company.run(run)).status is RunStatus.DONE
    assert len(company.requests) == 2


async def test_a_run_that_a_crash_took_from_the_model_is_shown_after_the_start(company: Company) -> None:
    """Its worker is gone and it waits in the pause: people see it like every other."""
    company.script(DONE)
    run = await company.lead()
    company.tamper("UPDATE runs SET status = 'running', epoch = epoch + 1")
    await pause(company)
    assert not await company.alerted(run)
    await company.restart()
    assert await company.alerted(run)
    assert await company.due() == []
    await resume(company)
    await go_on(company)
    assert (await company.run(run)).status is RunStatus.DONE


async def test_a_sending_under_way_ends_as_what_it_was(company: Company) -> None:
    """The outcome of a message that had left is stored; nothing follows it."""
    run, proposal = await company.waiting()
    await company.press(proposal, Verdict.APPROVE)
    company.channel.door.clear()
    task = asyncio.create_task(company.engine.advance(run.id))
    await asyncio.wait_for(company.channel.knocked.wait(), 10)
    await pause(company)
    company.channel.door.set()
    await task
    assert (await company.proposal(run)).state is ProposalState.EXECUTED
    assert ((await company.run(run)).status, len(company.requests)) == (RunStatus.QUEUED, 1)


async def test_a_sending_that_was_cut_off_is_put_before_people_even_then(company: Company) -> None:
    """A crash while sending, then a start into the pause: uncertain at once, settled by a person."""
    run, proposal = await company.waiting()
    await company.press(proposal, Verdict.APPROVE)
    company.tamper("UPDATE proposals SET state = 'executing', began_at = 1")
    company.tamper("UPDATE runs SET status = 'running', epoch = epoch + 1")
    await pause(company)
    await company.restart()
    await go_on(company)
    assert (await company.proposal(run)).state is ProposalState.UNCERTAIN
    await company.press(await company.proposal(run), Verdict.SEND_AGAIN)
    await go_on(company)
    assert company.channel.sent == []
    await resume(company)
    await go_on(company)
    assert company.channel.texts == [HELLO]


async def test_a_refused_transcript_is_not_asked_again_during_a_pause(company: Company) -> None:
    """The second call without thinking blocks is a call too."""
    company.script(turn(think("Hm."), deal()), DONE)
    run = await company.lead()
    paused = asyncio.Event()

    class Refusing:
        calls = 0

        async def reply(self, spec: Spec, messages: list[JsonObject], *, max_tokens: int) -> Reply:
            self.calls += 1
            if self.calls == 1:
                return await company.model.reply(spec, messages, max_tokens=max_tokens)
            if not paused.is_set():
                paused.set()
                await pause(company)
            raise TranscriptRefused("HTTP 400")

    model = Refusing()
    await company.engine_of(company.agent, model).advance(run.id)
    assert (model.calls, (await company.run(run)).status) == (2, RunStatus.QUEUED)


async def test_turning_it_is_kept_with_who_and_when(company: Company) -> None:
    """In rows that nobody can change, and in the journal of every open run; twice is once."""
    run, _ = await company.waiting()
    await pause(company)
    company.clock.forward(SECOND)
    assert not (await switch(company, paused=True)).changed
    await resume(company)
    assert not (await switch(company, paused=False)).changed
    history = await company.store.read(lambda tx: tx.pauses.history(10))
    assert [(turn.paused, turn.by) for turn in history] == [(False, ADMIN), (True, ADMIN)]
    assert history[0].at == history[1].at + SECOND
    records = await company.journal(run, Kind.RUN)
    assert [(record.outcome, record.note) for record in records] == [
        ("paused", "Aida (9)"),
        ("resumed", "Aida (9)"),
    ]
    for sql in ("UPDATE switches SET paused = 0", "DELETE FROM switches"):
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            company.tamper(sql)


@pytest.mark.parametrize("paused", [True, False])
async def test_a_turn_that_was_undone_is_forgotten(company: Company, paused: bool) -> None:
    """A transaction that fails after turning it, alone or among others, leaves it as it stood."""
    if not paused:
        await pause(company)

    def turn_and_fail(tx: SqliteTransaction) -> None:
        company.engine.switch(tx, paused=paused, person=ADMIN)
        assert (tx.paused is not None) is paused
        raise ZeroDivisionError

    def look(tx: SqliteTransaction) -> bool:
        return tx.paused is not None

    failing = [company.store.transaction(turn_and_fail) for _ in range(3)]
    looking = [company.store.transaction(look) for _ in range(3)]
    pairs = zip(looking, failing, strict=True)
    found = await asyncio.gather(*[one for pair in pairs for one in pair], return_exceptions=True)
    assert found[::2] == [not paused] * 3
    with pytest.raises(ZeroDivisionError):
        await company.store.transaction(turn_and_fail)
    assert await company.store.transaction(look) is not paused
    assert await company.store.read(look) is not paused


async def test_words_to_leads_wait_and_answers_to_operators_do_not(company: Company) -> None:
    """Of the plain messages those that go to a lead stay where they are until the resume."""

    def add(tx: SqliteTransaction) -> None:
        for once in (True, False):
            note = Note(chat_id=1, text=str(once), lane=Lane.NOTES, once=once)
            tx.notes.add(note, company.clock())

    await company.store.transaction(add)
    (to_lead, _) = await company.store.read(lambda tx: tx.notes.new(company.clock(), Lane.NOTES, 10))
    await pause(company)
    waiting = await company.store.read(lambda tx: tx.notes.new(company.clock(), Lane.NOTES, 10))
    assert [note.once for note in waiting] == [False]
    assert not await company.store.transaction(lambda tx: tx.notes.begin(to_lead))
    await resume(company)
    assert await company.store.transaction(lambda tx: tx.notes.begin(to_lead))


async def test_the_time_of_a_pause_is_no_time_of_a_fault(company: Company) -> None:
    """A model that was out of reach before a long pause is tried again after it, not given up at once."""
    company.script(DONE)
    for _ in range(2):
        company.api.inject(Fault(kind=FaultKind.OVERLOADED))
    run = await company.work(await company.lead())
    await pause(company)
    company.clock.forward(48 * 3_600 * SECOND)
    await resume(company)
    await go_on(company)
    assert (await company.run(run)).status is RunStatus.QUEUED


class Interleavings(RuleBasedStateMachine):
    """Any order of leads, presses, pauses, restarts and work."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.stack = AsyncExitStack()
        self.paused = False
        self.calls_at_pause = self.sent_at_pause = 0
        self.runs: list[Run] = []

    @initialize(folder=st.integers(0, 2**60))
    def begin(self, folder: int) -> None:
        path = Path(self.stack.enter_context(tempfile.TemporaryDirectory())) / f"{folder}.db"
        self.company = self.loop.run_until_complete(self.stack.enter_async_context(open_company(path)))
        self.company.script(turn(call("get_customer_history"), deal(), reply()), DONE)

    @property
    def spent(self) -> tuple[int, int]:
        return len(self.company.requests), len(self.company.channel.sent)

    @rule()
    def lead(self) -> None:
        number = len(self.runs) + 1
        self.runs.append(self.loop.run_until_complete(self.company.lead(telegram_id=number)))

    @rule()
    def pause(self) -> None:
        changed = self.loop.run_until_complete(switch(self.company, paused=True)).changed
        assert changed is not self.paused
        if changed:
            self.calls_at_pause, self.sent_at_pause = self.spent
        self.paused = True

    @rule()
    def resume(self) -> None:
        assert self.loop.run_until_complete(switch(self.company, paused=False)).changed is self.paused
        self.paused = False

    @rule(verdict=st.sampled_from([Verdict.APPROVE, Verdict.DENY]))
    def decide(self, verdict: Verdict) -> None:
        self.loop.run_until_complete(self._decide(verdict))

    async def _decide(self, verdict: Verdict) -> None:
        for run in self.runs:
            for proposal in await self.company.proposals(run):
                if proposal.state is ProposalState.PENDING:
                    decision = await self.company.press(proposal, verdict)
                    assert (decision.refusal, decision.waits) == (None, self.paused)
                    return

    @rule()
    def work(self) -> None:
        self.loop.run_until_complete(go_on(self.company))

    @rule(index=st.integers(0, 5))
    def work_on_one(self, index: int) -> None:
        """A worker that was told of a run earlier."""
        if index < len(self.runs):
            self.loop.run_until_complete(self.company.engine.advance(self.runs[index].id))

    @rule()
    def restart(self) -> None:
        self.loop.run_until_complete(self.company.restart())

    @invariant()
    def nothing_begins_during_a_pause(self) -> None:
        if self.paused:
            assert self.spent == (self.calls_at_pause, self.sent_at_pause)

    def teardown(self) -> None:
        """After the resume everything goes on to its end, each approved reply sent exactly once."""
        try:
            self.loop.run_until_complete(self._finish())
        finally:
            self.loop.run_until_complete(self.stack.aclose())
            self.loop.close()

    async def _finish(self) -> None:
        if self.paused:
            await resume(self.company)
        for _ in range(3):
            await go_on(self.company)
            for run in self.runs:
                await self.company.engine.advance(run.id)
                for proposal in await self.company.proposals(run):
                    if proposal.state is ProposalState.PENDING:
                        await self.company.press(proposal, Verdict.APPROVE)
        approved = []
        for number, run in enumerate(self.runs, 1):
            assert (await self.company.run(run)).status is RunStatus.DONE
            assert len((await self.company.view(run)).deals) == 1
            (proposal,) = await self.company.proposals(run)
            if proposal.state is not ProposalState.DENIED:
                assert proposal.state is ProposalState.EXECUTED
                approved.append((number, HELLO))
        assert sorted(self.company.channel.sent, key=str) == sorted(approved, key=str)
        assert self.company.api.violations == []


def test_no_order_of_events_breaks_the_stop() -> None:
    """While it is on no call and no message begins; nothing is lost; each approved message leaves once."""
    run_state_machine_as_test(Interleavings, settings=settings(max_examples=25, stateful_step_count=18))


async def test_a_pause_in_the_middle_of_much_work_cuts_cleanly(company: Company) -> None:
    """Of many messages under release some leave before it, the rest after the resume, each once."""
    company.script(turn(reply()), DONE)
    runs = [await company.lead(telegram_id=number) for number in range(1, 21)]
    for run in runs:
        await company.work(run)
        await company.press(await company.proposal(run), Verdict.APPROVE)
    work = [company.engine.advance(run.id) for run in runs]
    await asyncio.gather(*work[:10], pause(company), *work[10:])
    asked, sent = len(company.requests), len(company.channel.sent)
    states = [(await company.proposal(run)).state for run in runs]
    assert states.count(ProposalState.EXECUTED) == sent
    assert states.count(ProposalState.APPROVED) == 20 - sent
    for run in runs:
        await company.engine.advance(run.id)
    assert (len(company.requests), len(company.channel.sent)) == (asked, sent)
    await resume(company)
    await go_on(company)
    assert sorted(id for id, _ in company.channel.sent if id) == list(range(1, 21))
