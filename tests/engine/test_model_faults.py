"""No answer of the model's server crashes a run or loses a lead."""

import pytest

from agent.journal import Kind
from agent.outgoing import CardKind
from agent.proposals import Verdict
from agent.runs import RunStatus
from bot.sandbox.model_faults import Fault, FaultKind
from bot.sandbox.script import call, say, think, turn
from tests.company import HELLO, HOUR, SECOND, Company, deal, open_company, reply

# Symptoms that pass by waiting.
PASSING = {
    FaultKind.REQUEST_TIMEOUT,
    FaultKind.CONFLICT,
    FaultKind.RATE_LIMITED,
    FaultKind.SERVER_ERROR,
    FaultKind.UNAVAILABLE,
    FaultKind.OVERLOADED,
    FaultKind.RESET,
    FaultKind.CUT_BODY,
    FaultKind.TRICKLE,
    FaultKind.SILENCE,
}
# Symptoms that only the client's own deadline ends.
SLOW = {FaultKind.TRICKLE, FaultKind.SILENCE}
# Odd, but a run can go on with them; what becomes of the rest is FAILED or STOPPED.
HARMLESS = {
    FaultKind.UNKNOWN_BLOCK,
    FaultKind.OFF_SCHEMA_INPUT,
    FaultKind.USAGE_MISSING,
    FaultKind.USAGE_NULLS,
    FaultKind.TRUNCATED,
    FaultKind.PAUSED,
    FaultKind.EMPTY_CONTENT,
}
STOPPED = {
    FaultKind.UNKNOWN_STOP_REASON,
    FaultKind.MISSING_STOP_REASON,
    FaultKind.REFUSED,
    FaultKind.CONTEXT_WINDOW,
}

TALK = (turn(deal()), turn(say("Done.")))


async def test_every_symptom_is_sorted() -> None:
    """A symptom that the stand-in learns belongs into one of the sets above, or ends as failed."""
    assert not PASSING & (HARMLESS | STOPPED)
    assert SLOW <= PASSING


@pytest.mark.parametrize(
    "kind", [kind for kind in FaultKind if kind not in SLOW], ids=lambda kind: kind.value
)
async def test_every_odd_answer_leaves_a_clean_run(company: Company, kind: FaultKind) -> None:
    """The run is done, waits to ask again, or has ended before people's eyes; no odd reply was acted on."""
    await check(company, kind)


@pytest.mark.parametrize("kind", sorted(SLOW, key=str), ids=lambda kind: kind.value)
async def test_an_answer_that_does_not_come_ends_with_the_deadline(
    tmp_path_factory: pytest.TempPathFactory, kind: FaultKind
) -> None:
    """A server that is silent, or sends a byte now and then, holds no run longer than the call's timeout."""
    async with open_company(tmp_path_factory.mktemp("slow") / "db", seconds=0.3) as company:
        await company.model.warm_up()
        await check(company, kind)


async def check(company: Company, kind: FaultKind) -> None:
    company.script(*TALK)
    company.api.inject(Fault(kind=kind))
    run = await company.work(await company.lead())
    first = (await company.journal(run, Kind.MODEL))[0]
    assert run.usage.total >= 0
    if kind in PASSING:
        assert (run.status, first.outcome) == (RunStatus.QUEUED, "unavailable")
        assert run.retry_at is not None
        assert run.retry_at > company.clock()
    elif kind in HARMLESS:
        assert run.status is RunStatus.DONE
    else:
        assert run.status is (RunStatus.STOPPED if kind in STOPPED else RunStatus.FAILED)
        assert run.finished_at == company.clock()
        assert (await company.view(run)).deals == []
    assert await company.alerted(run)  # nobody was answered
    assert bool(run.reason) is (run.status is not RunStatus.DONE)


@pytest.mark.parametrize("kind", [FaultKind.OVERLOADED, FaultKind.RESET, FaultKind.RATE_LIMITED])
async def test_a_passing_fault_passes(company: Company, kind: FaultKind) -> None:
    """The run waits in the queue with growing pauses, survives a restart, and goes on where it was."""
    company.script(turn(call("get_customer_history")), *TALK)
    company.api.inject(Fault(kind=kind, after=1, times=3, retry_after=0))
    run = await company.work(await company.lead())
    waits = []
    while run.status is RunStatus.QUEUED:
        assert run.retry_at is not None
        waits.append(run.retry_at - company.clock())
        assert await company.due() == []
        company.clock.forward(waits[-1])
        await company.restart()
        assert await company.due() == [run.id]
        run = await company.work(run)
    assert waits == [2 * SECOND, 4 * SECOND, 8 * SECOND]
    assert (run.status, run.attempts, run.steps, run.reason) == (RunStatus.DONE, 0, 3, None)
    assert len((await company.view(run)).deals) == 1


async def test_a_run_that_is_told_of_twice_waits_all_the_same(company: Company) -> None:
    """Whoever takes a run up again before its time finds it as it is, and the model is not asked."""
    company.script(*TALK)
    company.api.inject(Fault(kind=FaultKind.OVERLOADED))
    run = await company.work(await company.lead())
    asked = len(company.requests)
    assert await company.engine.advance(run.id) is None
    assert (await company.run(run), len(company.requests)) == (run, asked)
    company.clock.forward(2 * SECOND)
    assert (await company.work(run)).status is RunStatus.DONE


async def test_people_see_that_a_run_waits_and_that_it_went_on(company: Company) -> None:
    """The card that told of the fault is brought up to date once the run went on: it tells no old story."""
    company.script(turn(call("escalate_to_manager", {"reason": "Out of scope."})), turn(say("Done.")))
    company.api.inject(Fault(kind=FaultKind.OVERLOADED))
    run = await company.work(await company.lead())
    waits = await company.store.read(lambda tx: tx.cards.of(CardKind.RUN, run.id))
    assert waits is not None
    company.clock.forward(2 * SECOND)
    run = await company.work(run)
    ended = await company.store.read(lambda tx: tx.cards.of(CardKind.RUN, run.id))
    assert ended is not None
    assert (run.status, ended.version > waits.version) == (RunStatus.DONE, True)


@pytest.mark.parametrize(("asked", "waited"), [(30, 30 * SECOND), (3600, 300 * SECOND)])
async def test_retry_after_is_honoured_within_bounds(company: Company, asked: float, waited: int) -> None:
    """The server's own wish counts up to five minutes; an hour's sleep would be a lost lead."""
    company.script(*TALK)
    company.api.inject(Fault(kind=FaultKind.RATE_LIMITED, retry_after=asked))
    run = await company.work(await company.lead())
    assert run.retry_at == company.clock() + waited
    assert await company.store.read(lambda tx: tx.alarms.next(company.clock())) == run.retry_at


async def test_a_fault_that_does_not_pass_is_given_up(company: Company) -> None:
    """After a day of trying the run has failed and people see the lead."""
    company.script(*TALK)
    company.api.inject(Fault(kind=FaultKind.OVERLOADED, times=1_000))
    run = await company.work(await company.lead())
    began = company.clock()
    while run.status is RunStatus.QUEUED:
        assert run.retry_at is not None
        company.clock.forward(max(run.retry_at - company.clock(), HOUR))
        run = await company.work(run)
    assert run.status is RunStatus.FAILED
    assert 24 * HOUR <= company.clock() - began <= 26 * HOUR
    assert "529" in (run.reason or "")
    assert await company.alerted(run)


async def test_time_that_people_took_is_no_time_of_trying(company: Company) -> None:
    """A run that waited two days for its approvals does not fail at the model's first hiccup."""
    run, _ = await company.waiting(turn(reply()), turn(reply(HELLO + " Soon.")), turn(say("Done.")))
    for _ in range(2):
        company.clock.forward(23 * HOUR)
        if (await company.proposals(run))[1:]:
            company.api.inject(Fault(kind=FaultKind.OVERLOADED))
        run = await company.settle(run, Verdict.APPROVE)
    assert run.status is RunStatus.QUEUED
    company.clock.forward(2 * SECOND)
    assert (await company.work(run)).status is RunStatus.DONE


async def test_thinking_that_no_longer_fits_is_left_out(company: Company) -> None:
    """A 400 for thinking blocks: they are stripped and the call is made once more, within the same step."""
    run, _ = await company.waiting(turn(think("Hm."), say("One moment."), reply()), turn(say("Done.")))
    company.api.inject(Fault(kind=FaultKind.INVALID_REQUEST))
    run = await company.settle(run, Verdict.APPROVE)
    assert (run.status, run.steps, len(company.requests)) == (RunStatus.DONE, 2, 3)
    kinds = [[block["type"] for block in body["messages"][1]["content"]] for body in company.requests[1:]]
    assert kinds == [["thinking", "text", "tool_use"], ["text", "tool_use"]]


async def test_a_refused_transcript_without_thinking_is_not_sent_again(company: Company) -> None:
    """A 400 that stripping can't mend ends the run at once, and people see the lead."""
    company.script(*TALK)
    company.api.inject(Fault(kind=FaultKind.INVALID_REQUEST))
    run = await company.work(await company.lead())
    assert (run.status, len(company.requests)) == (RunStatus.FAILED, 1)
    assert "Injected: invalid request" in (run.reason or "")


async def test_an_unknown_block_is_handed_back_as_it_came(company: Company) -> None:
    """A block that was invented after this program is stored and returned unchanged."""
    company.script(*TALK)
    company.api.inject(Fault(kind=FaultKind.UNKNOWN_BLOCK))
    await company.work(await company.lead())
    assert company.requests[1]["messages"][1]["content"][0] == {"type": "future_block", "data": "?"}
