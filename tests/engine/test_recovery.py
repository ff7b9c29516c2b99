"""A run belongs to one worker at a time and survives every restart; the rows alone say how it goes on."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from agent.engine import STOPPED_WHILE_SENDING
from agent.errors import Fenced, ModelUnavailable, NotSent, OutcomeUnknown
from agent.journal import Kind
from agent.jsontext import JsonObject
from agent.leads.agent import NAME
from agent.ports import Reply
from agent.proposals import Execution, ProposalState, Verdict
from agent.runs import Run, RunStatus, Spec
from bot.sandbox.model_faults import Fault, FaultKind
from bot.sandbox.script import call, say, turn
from storage.transaction import SqliteTransaction
from tests.company import HELLO, HOUR, SECOND, Company, deal, reply

DONE = turn(say("Done."))


class Frozen:
    """A model that keeps its answer back until `thaw` is set, as a stopped process would."""

    def __init__(self, company: Company) -> None:
        self._company = company
        self.asked = asyncio.Event()
        self.thaw = asyncio.Event()

    async def reply(self, spec: Spec, messages: list[JsonObject], *, max_tokens: int) -> Reply:
        answer = await self._company.model.reply(spec, messages, max_tokens=max_tokens)
        self.asked.set()
        await self.thaw.wait()
        return answer


def everything(company: Company) -> list[object]:
    """All rows that a run consists of."""
    tables = ("runs", "transcript", "journal", "proposals", "deals", "decisions", "escalations")
    return [company.tamper(f"SELECT * FROM {table} ORDER BY 1, 2") for table in tables]


@asynccontextmanager
async def frozen_worker(company: Company, run: Run) -> AsyncIterator[None]:
    """A worker that took the run up and hangs in its call of the model; then the run was queued again."""
    model = Frozen(company)
    task = asyncio.create_task(company.engine_of(company.agent, model).advance(run.id))
    await asyncio.wait_for(model.asked.wait(), 10)
    await company.store.transaction(SqliteTransaction.recover)
    yield
    before = everything(company)
    model.thaw.set()
    with pytest.raises(Fenced):
        await task
    assert everything(company) == before


async def test_a_worker_that_wakes_up_late_changes_nothing(company: Company) -> None:
    """Another worker finished the run meanwhile: the late answer is dropped, with no row changed."""
    company.script(turn(deal()), DONE)
    run = await company.lead()
    async with frozen_worker(company, run):
        assert (await company.work(run)).status is RunStatus.DONE
    assert len((await company.view(run)).deals) == 1


async def test_a_late_worker_is_fenced_even_before_the_other_did_anything(company: Company) -> None:
    """The claim alone takes the run away."""
    company.script(turn(deal()), DONE)
    run = await company.lead()
    async with frozen_worker(company, run):
        await company.store.transaction(lambda tx: tx.runs.claim(run.id, company.clock()))


async def test_a_late_fault_of_the_model_counts_for_nothing(company: Company) -> None:
    """A timeout of the fenced worker does not postpone the run that another one works on."""
    company.script(DONE)
    run = await company.lead()

    class Late(Frozen):
        async def reply(self, spec: Spec, messages: list[JsonObject], *, max_tokens: int) -> Reply:
            self.asked.set()
            await self.thaw.wait()
            raise ModelUnavailable("late")

    model = Late(company)
    task = asyncio.create_task(company.engine_of(company.agent, model).advance(run.id))
    await asyncio.wait_for(model.asked.wait(), 10)
    await company.store.transaction(SqliteTransaction.recover)
    assert (await company.work(run)).status is RunStatus.DONE
    before = everything(company)
    model.thaw.set()
    with pytest.raises(Fenced):
        await task
    assert everything(company) == before


async def test_only_one_worker_takes_a_run_up(company: Company) -> None:
    """Of many that try at once one works and the others get nothing."""
    company.script(turn(deal()), DONE)
    run = await company.lead()
    taken = await asyncio.gather(*[company.engine.advance(run.id) for _ in range(5)])
    assert [found is not None for found in taken].count(True) == 1
    assert await company.steps(run) == ["model::tool_use", "tool:create_deal:ok", "model::end_turn"]


async def test_a_run_that_is_not_queued_is_not_taken_up(company: Company) -> None:
    """Waiting, finished and unknown runs are left alone."""
    run, _ = await company.waiting()
    assert await company.engine.advance(run.id) is None
    await company.settle(run, Verdict.DENY)
    assert await company.engine.advance(run.id) is None
    assert await company.engine.advance(12_345) is None


async def test_a_send_that_was_cut_off_is_uncertain(company: Company) -> None:
    """The worker vanished between sending and recording it: a person settles it, nothing is sent again."""
    run, proposal = await company.waiting()
    company.channel.door.clear()
    await company.press(proposal, Verdict.APPROVE)
    late = asyncio.create_task(company.engine.advance(run.id))
    await asyncio.wait_for(company.channel.knocked.wait(), 10)
    assert (await company.proposal(run)).execution is Execution.EXECUTING

    await company.restart()
    assert await company.due() == [run.id]
    run = await company.work(run)
    uncertain = await company.proposal(run)
    assert (run.status, uncertain.state, uncertain.note) == (
        RunStatus.AWAITING_CONFIRMATION,
        ProposalState.UNCERTAIN,
        STOPPED_WHILE_SENDING,
    )
    assert company.channel.sent == []
    late.cancel()
    await asyncio.gather(late, return_exceptions=True)


async def test_a_late_sender_does_not_settle_what_people_were_asked(company: Company) -> None:
    """A frozen sender that wakes up after all is fenced: it stays uncertain until a person says so."""
    run, proposal = await company.waiting()
    company.channel.door.clear()
    await company.press(proposal, Verdict.APPROVE)
    late = asyncio.create_task(company.engine.advance(run.id))
    await asyncio.wait_for(company.channel.knocked.wait(), 10)
    await company.store.transaction(SqliteTransaction.recover)
    await company.work(run)
    before = everything(company)
    company.channel.door.set()
    with pytest.raises(Fenced):
        await late
    assert everything(company) == before
    assert (await company.proposal(run)).state is ProposalState.UNCERTAIN
    run = await company.settle(run, Verdict.WAS_SENT)
    assert (run.status, company.channel.texts) == (RunStatus.DONE, [HELLO])


# --- restarts: each function brings a run to a point where it rests, then the file is closed and opened


async def queued(company: Company) -> Run:
    return await company.lead()


async def claimed(company: Company) -> Run:
    run = await company.lead()
    await company.store.transaction(lambda tx: tx.runs.claim(run.id, company.clock()))
    return run


async def postponed(company: Company) -> Run:
    company.api.inject(Fault(kind=FaultKind.OVERLOADED))
    return await company.work(await company.lead())


async def pending(company: Company) -> Run:
    return await company.work(await company.lead())


async def approved(company: Company) -> Run:
    run = await pending(company)
    await company.press(await company.proposal(run), Verdict.APPROVE)
    return run


async def delayed(company: Company) -> Run:
    company.channel.faults.append(NotSent("flood control", retry_after=1))
    return await company.work(await approved(company))


async def executing(company: Company) -> Run:
    run = await approved(company)
    company.tamper("UPDATE proposals SET state = 'executing', began_at = 1")
    company.tamper("UPDATE runs SET status = 'running', epoch = epoch + 1")
    return run


async def uncertain(company: Company) -> Run:
    company.channel.faults.append(OutcomeUnknown("lost"))
    return await company.work(await approved(company))


async def settled(company: Company) -> Run:
    run = await uncertain(company)
    await company.press(await company.proposal(run), Verdict.SEND_AGAIN)
    return run


async def expired(company: Company) -> Run:
    run = await pending(company)
    company.clock.forward(24 * HOUR)
    await company.store.transaction(company.engine.approvals.expire)
    return run


@pytest.mark.parametrize(
    ("rest", "sent"),
    [
        (queued, 1),
        (claimed, 1),
        (postponed, 1),
        (pending, 1),
        (approved, 1),
        (delayed, 1),
        (executing, 0),
        (uncertain, 0),
        (settled, 1),
        (expired, 0),
    ],
)
async def test_a_restart_at_any_point_loses_and_repeats_nothing(
    company: Company, rest: Callable[[Company], Awaitable[Run]], sent: int
) -> None:
    """The run goes on from its rows: one deal, at most one message, a legal transcript, a clean end."""
    company.script(turn(call("get_customer_history"), deal(), reply()), DONE)
    run = await rest(company)
    for _ in range(10):
        await company.restart()
        company.clock.forward(3 * SECOND)
        for id in await company.due():
            await company.engine.advance(id)
        run = await company.run(run)
        for proposal in await company.proposals(run):
            if proposal.state is ProposalState.PENDING:
                await company.press(proposal, Verdict.APPROVE)
            if proposal.state is ProposalState.UNCERTAIN:
                await company.press(proposal, Verdict.WAS_SENT)
    assert run.status is RunStatus.DONE
    assert len((await company.view(run)).deals) == 1
    assert company.channel.texts == [HELLO] * sent
    assert company.api.violations == []
    tools = [record.name for record in await company.journal(run, Kind.TOOL)]
    assert tools == ["get_customer_history", "create_deal", "send_reply"]


# --- stopping and breaking while at work


async def test_a_stop_in_the_middle_of_sending_still_stores_the_outcome(company: Company) -> None:
    """The worker is cancelled, the message on its way is not: its outcome is known, and nobody has to ask."""
    run, proposal = await company.waiting()
    await company.press(proposal, Verdict.APPROVE)
    company.channel.door.clear()
    worker = asyncio.create_task(company.engine.advance(run.id))
    await asyncio.wait_for(company.channel.knocked.wait(), 10)
    worker.cancel()
    with pytest.raises(asyncio.CancelledError):
        await worker
    company.channel.door.set()
    await company.engine.drain(10)
    assert (await company.proposal(run)).state is ProposalState.EXECUTED
    await company.restart()
    assert await company.due() == [run.id]
    assert (await company.work(run)).status is RunStatus.DONE
    assert company.channel.texts == [HELLO]


async def test_a_run_whose_worker_breaks_is_tried_again_and_then_left_to_people(company: Company) -> None:
    """A bug or a fault of the disk holds a run up, with growing pauses, and never loses it."""
    run = await company.lead()
    waits = []
    for _ in range(5):
        await company.store.transaction(lambda tx: tx.runs.claim(run.id, company.clock()))
        await company.store.transaction(lambda tx: company.engine.stumble(tx, run.id, "it broke"))
        broken = await company.run(run)
        assert (broken.status, broken.reason) == (RunStatus.QUEUED, "it broke")
        assert broken.retry_at is not None
        waits.append(broken.retry_at - company.clock())
        company.clock.forward(waits[-1])
        assert await company.due() == [run.id]
    assert waits == [2_000, 4_000, 8_000, 16_000, 32_000]
    company.clock.forward(24 * HOUR)
    await company.store.transaction(lambda tx: tx.runs.claim(run.id, company.clock()))
    await company.store.transaction(lambda tx: company.engine.stumble(tx, run.id, "it broke"))
    broken = await company.run(run)
    assert (broken.status, broken.reason) == (RunStatus.FAILED, "it broke")
    assert await company.alerted(run)


async def test_a_start_that_is_rolled_back_leaves_nothing_to_do(company: Company) -> None:
    """The run was never there: nobody can advance it, and the next one of its number is not taken for it."""

    def fail(tx: SqliteTransaction) -> None:
        (contact,) = tx.contacts.due_bursts(company.clock())
        lead = tx.contacts.close_burst(contact, company.clock())
        assert lead is not None
        started.append(company.engine.start(tx, lead, NAME))
        raise ZeroDivisionError

    started: list[Run] = []
    await company.write("We need a CRM.")
    with pytest.raises(ZeroDivisionError):
        await company.store.transaction(fail)
    assert await company.engine.advance(started[0].id) is None
    company.script(DONE)
    (run,) = await company.begin()
    assert (await company.work(run)).status is RunStatus.DONE


async def test_a_run_that_cannot_be_taken_up_stumbles_too(company: Company) -> None:
    """A fault in the transaction that claims it leaves it queued: for later, not for nobody."""
    run, _ = await company.waiting()
    await company.press(await company.proposal(run), Verdict.APPROVE)
    await company.store.transaction(lambda tx: company.engine.stumble(tx, run.id, "it broke"))
    assert (await company.run(run)).retry_at == company.clock() + 2_000
    company.clock.forward(2_000)
    assert (await company.work(run)).status is RunStatus.DONE
    assert company.channel.texts == [HELLO]


async def test_only_a_run_at_work_can_stumble(company: Company) -> None:
    """A fault that comes late changes no run that waits for people or is over."""
    run, _ = await company.waiting()
    before = everything(company)
    await company.store.transaction(lambda tx: company.engine.stumble(tx, run.id, "late"))
    assert everything(company) == before
