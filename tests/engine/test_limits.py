"""A run is bounded, and ends cleanly whatever reason the model gives for stopping."""

import pytest

from agent.limits import Limits
from agent.proposals import Verdict
from agent.runs import RunStatus
from bot.sandbox.model_faults import Fault, FaultKind
from bot.sandbox.script import StopReason, Turn, Usage, call, say, turn
from tests.company import HELLO, Company, deal, reply

HISTORY = turn(call("get_customer_history"))


async def test_the_default_limits_are_eight_steps_and_sixty_thousand_tokens(company: Company) -> None:
    """A model that never ends is stopped after eight calls, and people are told."""
    company.script(*[HISTORY] * 20)
    run = await company.work(await company.lead())
    assert run.limits == Limits(max_steps=8, max_tokens=60_000)
    assert (run.status, run.steps, len(company.requests)) == (RunStatus.MAX_STEPS, 8, 8)
    assert await company.alerted(run)


async def test_cache_tokens_count_against_the_budget(company: Company) -> None:
    """Input, output, cache writes and cache reads all count: 30,000 a call are two calls of the 60,000."""
    usage = Usage(
        input_tokens=1_000,
        output_tokens=1_000,
        cache_creation_input_tokens=8_000,
        cache_read_input_tokens=20_000,
    )
    company.script(*[turn(call("get_customer_history"), usage=usage)] * 8)
    run = await company.work(await company.lead())
    assert (run.status, run.usage.total, len(company.requests)) == (RunStatus.BUDGET, 60_000, 2)
    assert (run.usage.cache_write, run.usage.cache_read) == (16_000, 40_000)


async def test_a_final_answer_over_the_budget_still_counts(company: Company) -> None:
    """The budget is looked at before a call, so the call that overshoots and finishes is done."""
    company.script(turn(say("Done."), usage=Usage(input_tokens=90_000)))
    assert (await company.work(await company.lead())).status is RunStatus.DONE


async def test_the_limits_are_those_the_run_began_with(company: Company) -> None:
    """A deploy that changes the limits changes no run under way; an approval resets nothing spent."""
    company.change(limits=Limits(max_steps=2))
    run, _ = await company.waiting(turn(reply()), HISTORY, HISTORY)
    company.change(limits=Limits(max_steps=50))
    await company.restart()
    run = await company.settle(run, Verdict.APPROVE)
    assert (run.status, run.steps, company.channel.texts) == (RunStatus.MAX_STEPS, 2, [HELLO])


async def test_a_reply_that_was_cut_off_is_asked_for_once_more_with_more_room(company: Company) -> None:
    """Nothing of a truncated reply is run; the second try has the largest room, and may succeed."""
    company.script(turn(deal()), turn(say("Done.")))
    company.api.inject(Fault(kind=FaultKind.TRUNCATED))
    run = await company.work(await company.lead())
    assert (run.status, run.steps) == (RunStatus.DONE, 3)
    assert len((await company.view(run)).deals) == 1
    assert [body["max_tokens"] for body in company.requests[:2]] == [16_000, 21_333]
    assert company.requests[0]["messages"] == company.requests[1]["messages"]
    assert (await company.steps(run))[:2] == ["model::max_tokens", "model::tool_use"]


async def test_a_reply_that_is_cut_off_twice_stops_the_run(company: Company) -> None:
    """No third try, nothing was done, and people are told."""
    company.script(turn(deal()), turn(say("Done.")))
    company.api.inject(Fault(kind=FaultKind.TRUNCATED, times=5))
    run = await company.work(await company.lead())
    assert (run.status, len(company.requests)) == (RunStatus.STOPPED, 2)
    assert (await company.view(run)).deals == []
    assert await company.alerted(run)


async def test_a_paused_turn_is_handed_back_unchanged(company: Company) -> None:
    """pause_turn: the same content goes back as the last message, and the model goes on."""
    company.script(turn(say("Done.")))
    company.api.inject(Fault(kind=FaultKind.PAUSED))
    run = await company.work(await company.lead())
    assert (run.status, len(company.requests)) == (RunStatus.DONE, 2)
    last = company.requests[1]["messages"][-1]
    assert (last["role"], last["content"][1]["type"]) == ("assistant", "server_tool_use")


async def test_a_model_that_only_pauses_is_bounded(company: Company) -> None:
    """pause_turn for ever ends at the limit of steps."""
    company.script(turn(say("Done.")))
    company.api.inject(Fault(kind=FaultKind.PAUSED, times=100))
    run = await company.work(await company.lead())
    assert (run.status, len(company.requests)) == (RunStatus.MAX_STEPS, 8)
    assert await company.alerted(run)


async def test_a_paused_turn_is_handed_back_before_new_words(company: Company) -> None:
    """What the lead wrote meanwhile waits for the end of the paused turn; nothing comes between."""
    company.script(turn(say("Done.")), turn(say("Done again.")))
    company.api.inject(Fault(kind=FaultKind.PAUSED))
    run = await company.lead()
    await company.write("And what about Friday?")
    run = await company.work(run)
    assert (run.status, company.api.violations) == (RunStatus.DONE, [])
    assert [body["messages"][-1]["role"] for body in company.requests] == ["user", "assistant", "user"]
    assert "Friday" in str(company.requests[2]["messages"][-1])


async def test_a_refusal_is_not_appended_and_not_asked_again(company: Company) -> None:
    """refusal: one call, nothing of it in the transcript, a person takes over."""
    company.script(turn(say("I shall not.")))
    company.api.inject(Fault(kind=FaultKind.REFUSED))
    run = await company.work(await company.lead())
    assert (run.status, len(company.requests), run.text) == (RunStatus.STOPPED, 1, "")
    assert company.tamper("SELECT count(*) FROM transcript") == [(1,)]
    assert await company.alerted(run)


@pytest.mark.parametrize(
    "reason", [reason for reason in StopReason if reason not in (StopReason.TOOL_USE, StopReason.MAX_TOKENS)]
)
async def test_calls_run_only_when_the_model_stopped_for_them(company: Company, reason: StopReason) -> None:
    """A call in a reply that stopped for anything but tool_use is not run, even if the lead wrote on."""
    company.script(Turn(content=(deal(), reply()), stop_reason=reason), turn(say("Done.")))
    run = await company.lead()
    await company.write("And what about Friday?")
    run = await company.work(run)
    view = await company.view(run)
    assert run.status.over
    assert (view.deals, view.proposals, company.api.violations) == ([], [], [])


async def test_words_go_on_after_a_reply_without_content(company: Company) -> None:
    """An empty final reply is not stored as an empty turn: the API would refuse it ever after."""
    company.script(turn(say("Done.")))
    company.api.inject(Fault(kind=FaultKind.EMPTY_CONTENT))
    run = await company.lead()
    await company.write("And what about Friday?")
    run = await company.work(run)
    assert (run.status, run.text, company.api.violations) == (RunStatus.DONE, "Done.", [])
    assert len(company.requests[1]["messages"]) == 1
