"""Nothing leaves without a person's approval of exactly that, and never twice."""

import asyncio
from dataclasses import replace
from typing import Annotated

import pytest
from pydantic import StringConstraints

from agent.errors import NotSent, OutcomeUnknown, Undeliverable
from agent.journal import Kind
from agent.jsontext import JsonObject
from agent.proposals import Confirmation, Execution, ProposalState, Refusal, Verdict
from agent.runs import RunStatus
from agent.tools import Arguments, Risk, Scope, Tool
from bot.sandbox.script import call, say, turn
from tests.company import DANA, HELLO, HOUR, IGOR, NEW_DEAL, OLGA, SECOND, Company, deal, reply, results

OTHER = "Hello again, Dana! The manager will bring examples of our work."
ESCALATE = call("escalate_to_manager", {"reason": "The request is out of scope."})


# --- several calls in one reply


async def test_calls_around_an_approval_keep_the_models_order(company: Company) -> None:
    """What stands before a proposal is done, what stands after it waits; all results go in one message."""
    run, proposal = await company.waiting(
        turn(call("get_customer_history"), deal(), reply(), ESCALATE), turn(say("Done."))
    )
    view = await company.view(run)
    assert (len(view.deals), view.escalations, company.channel.sent) == (1, [], [])
    assert len(company.requests) == 1

    await company.settle(run, Verdict.APPROVE)
    assert company.channel.texts == [HELLO]
    assert (await company.view(run)).escalations == ["The request is out of scope."]
    last = company.requests[1]["messages"][-1]
    assert last["role"] == "user"
    calls = [block["id"] for block in company.requests[1]["messages"][-2]["content"]]
    assert [block["tool_use_id"] for block in last["content"]] == calls
    assert [record.name for record in await company.journal(run, Kind.TOOL)] == [
        "get_customer_history",
        "create_deal",
        "send_reply",
        "escalate_to_manager",
    ]
    assert proposal.tool == "send_reply"


async def test_two_proposals_in_one_reply_are_asked_together(company: Company) -> None:
    """One card asks about both, each is decided on its own, and they are carried out in the model's order."""
    run, second = await company.waiting(turn(reply(), reply(OTHER)), turn(say("Done.")))
    first, _ = await company.proposals(run)
    assert (first.card, second.card) == (first.id, first.id)
    await company.press(second, Verdict.APPROVE)
    run = await company.work(run)
    assert (run.status, company.channel.texts) == (RunStatus.AWAITING_CONFIRMATION, [])
    await company.press(first, Verdict.APPROVE)
    await company.work(run)
    run = await company.work(run)  # it was queued again for the second
    assert (run.status, company.channel.texts) == (RunStatus.DONE, [HELLO, OTHER])


async def test_mixed_decisions_on_one_card(company: Company) -> None:
    """What is denied is not done, what is approved is, and the model hears of each in its place."""
    run, second = await company.waiting(turn(reply(), reply(OTHER)), turn(say("Done.")))
    await company.press((await company.proposals(run))[0], Verdict.DENY)
    run = await company.work(run)
    await company.press(second, Verdict.APPROVE)
    run = await company.work(run)
    assert (run.status, company.channel.texts) == (RunStatus.DONE, [OTHER])
    assert [block.get("is_error", False) for block in results(company.requests[1])] == [True, False]


async def test_a_call_between_two_proposals_keeps_its_place(company: Company) -> None:
    """Calls are run in the model's order: what stands behind a deal is asked for after the deal."""
    run, first = await company.waiting(turn(reply(), deal(), reply(OTHER)), turn(say("Done.")))
    assert len(await company.proposals(run)) == 1
    run = await company.settle(run, Verdict.APPROVE)
    second = await company.proposal(run)
    assert (second.card, second.state) == (second.id, ProposalState.PENDING)
    assert (first.id, len((await company.view(run)).deals)) != (second.id, 0)


async def test_unknown_invalid_rejected_and_good_calls_each_get_their_own_result(company: Company) -> None:
    """Faulty calls disturb no other call of the same reply."""
    run, _ = await company.waiting(
        turn(call("send_money", {"to": "me"}), deal(service="seo"), reply(), deal(), reply("short")),
        turn(say("Done.")),
    )
    run = await company.settle(run, Verdict.DENY)
    assert run.status is RunStatus.DONE
    outcomes = [record.outcome for record in await company.journal(run, Kind.TOOL)]
    assert outcomes == ["unknown_tool", "invalid", "rejected", "ok", "invalid"]
    found = results(company.requests[1])
    assert [block.get("is_error", False) for block in found] == [True, True, True, False, True]
    assert all(block["content"].startswith("ERROR: ") for block in found if "is_error" in block)
    assert "get_customer_history" in found[0]["content"]  # told which tools there are


async def test_a_tool_that_breaks_leaves_nothing_half_done(company: Company) -> None:
    """What a tool wrote before it broke is undone; the model is told, the run and the other calls go on."""

    def broken(_: Arguments, scope: Scope) -> JsonObject:
        scope.crm.escalate(scope.lead, scope.run.id, "half done", scope.at)
        raise ZeroDivisionError

    tool = Tool(name="break", description="-", risk=Risk.WRITE, arguments=Arguments, run=broken)
    company.connect(tool)
    company.script(turn(deal(), call("break"), ESCALATE), turn(say("Done.")))
    run = await company.work(await company.lead())
    view = await company.view(run)
    assert (run.status, view.escalations, len(view.deals)) == (
        RunStatus.DONE,
        ["The request is out of scope."],
        1,
    )
    assert results(company.requests[1])[1]["content"] == (
        "ERROR: Internal error in the tool. Escalate to a manager."
    )
    assert [record.outcome for record in await company.journal(run, Kind.TOOL)] == ["ok", "error", "ok"]


@pytest.mark.parametrize("how", ["denied", "expired"])
async def test_a_tool_that_people_turned_down_is_not_asked_for_again(company: Company, how: str) -> None:
    """A model that insists after a denial or an expiry bothers nobody a second time."""
    run, proposal = await company.waiting(turn(reply()), turn(reply(OTHER)), turn(say("Done.")))
    if how == "denied":
        await company.press(proposal, Verdict.DENY)
    else:
        company.clock.forward(24 * HOUR)
        await company.store.transaction(company.engine.approvals.expire)
    run = await company.work(run)
    assert (run.status, len(await company.proposals(run)), company.channel.sent) == (RunStatus.DONE, 1, [])
    assert "Rejected by a human operator" in results(company.requests[2])[0]["content"]


# --- decisions


async def test_three_facts_of_an_approval_are_kept_apart(company: Company) -> None:
    """Approved says nothing of executed: each is read off on its own, with the person and the time."""
    run, proposal = await company.waiting()
    company.clock.forward(5 * SECOND)
    decision = await company.press(proposal, Verdict.APPROVE)
    approved = await company.proposal(run)
    assert decision.refusal is None
    assert (approved.confirmation, approved.execution) == (Confirmation.APPROVED, Execution.NOT_ATTEMPTED)
    assert (approved.decided_by, approved.decided_at) == (OLGA, company.clock())
    await company.work(run)
    executed = await company.proposal(run)
    assert (executed.confirmation, executed.execution) == (Confirmation.APPROVED, Execution.EXECUTED)
    assert company.tamper("SELECT receipt FROM proposals") == [('{"message_id":1}',)]
    assert company.tamper("SELECT verdict, person_id, arguments_hash FROM decisions") == [
        ("approve", OLGA.id, proposal.arguments_hash)
    ]


async def test_of_two_presses_at_once_one_counts(company: Company) -> None:
    """Two operators decide at the same moment: one verdict stands, the other is told so."""
    run, proposal = await company.waiting()
    decisions = await asyncio.gather(
        company.press(proposal, Verdict.APPROVE, OLGA), company.press(proposal, Verdict.DENY, IGOR)
    )
    assert [decision.refusal for decision in decisions] == [None, Refusal.ALREADY_DECIDED]
    late = decisions[1].proposal
    assert late is not None
    assert (late.state, late.decided_by) == (ProposalState.APPROVED, OLGA)
    await asyncio.gather(company.work(run), company.work(run))
    assert company.channel.texts == [HELLO]
    assert len(company.tamper("SELECT id FROM decisions")) == 1


async def test_a_verdict_for_another_state_is_refused(company: Company) -> None:
    """Settling what is not uncertain, or deciding what is decided, changes nothing."""
    run, proposal = await company.waiting()
    for verdict in (Verdict.WAS_SENT, Verdict.SEND_AGAIN, Verdict.DROP):
        assert (await company.press(proposal, verdict)).refusal is Refusal.ALREADY_DECIDED
    await company.settle(run, Verdict.APPROVE)
    for verdict in Verdict:
        assert (await company.press(proposal, verdict)).refusal is Refusal.ALREADY_DECIDED
    assert company.channel.texts == [HELLO]


async def test_a_stale_token_decides_nothing(company: Company) -> None:
    """A press that was meant for an earlier state of the proposal does not settle the later one."""
    company.channel.faults.append(OutcomeUnknown("the answer was lost"))
    run, proposal = await company.waiting()
    await company.settle(run, Verdict.APPROVE)
    uncertain = await company.proposal(run)
    assert uncertain.token != proposal.token
    stale = replace(uncertain, token=proposal.token)
    decision = await company.store.transaction(
        lambda tx: company.engine.approvals.decide(tx, stale, Verdict.SEND_AGAIN, OLGA)
    )
    assert decision.refusal is Refusal.ALREADY_DECIDED
    assert (await company.proposal(run)).state is ProposalState.UNCERTAIN


async def test_time_never_approves(company: Company) -> None:
    """A proposal that nobody answered expires, nothing is sent, and the run goes on and ends."""
    run, _ = await company.waiting()
    company.clock.forward(24 * HOUR - 1)
    assert await company.store.transaction(company.engine.approvals.expire) == 0
    company.clock.forward(1)
    assert await company.store.transaction(company.engine.approvals.expire) == 1
    assert await company.due() == [run.id]
    run = await company.work(run)
    expired = await company.proposal(run)
    assert (run.status, expired.confirmation, expired.execution) == (
        RunStatus.DONE,
        Confirmation.EXPIRED,
        Execution.CANCELLED,
    )
    assert company.channel.sent == []
    assert "No operator decided in time" in results(company.requests[1])[0]["content"]


async def test_a_press_after_the_time_is_over_expires_the_proposal(company: Company) -> None:
    """Approval is valid only in time, even where the expiry was not noticed before the press."""
    run, proposal = await company.waiting()
    company.clock.forward(24 * HOUR)
    decision = await company.press(proposal, Verdict.APPROVE)
    assert decision.refusal is Refusal.EXPIRED
    assert decision.proposal is not None
    assert decision.proposal.state is ProposalState.EXPIRED
    assert (await company.press(proposal, Verdict.APPROVE)).refusal is Refusal.ALREADY_DECIDED
    assert (await company.work(run)).status is RunStatus.DONE
    assert company.channel.sent == []


# --- execution


@pytest.mark.parametrize("fault", [OutcomeUnknown("the answer was lost"), RuntimeError("a bug")])
async def test_a_lost_outcome_is_uncertain_and_left_to_people(company: Company, fault: Exception) -> None:
    """Where nobody can tell whether it left, it is neither sent again nor shown as done."""
    company.channel.faults.append(fault)
    run, _ = await company.waiting()
    run = await company.settle(run, Verdict.APPROVE)
    uncertain = await company.proposal(run)
    assert (run.status, uncertain.execution) == (RunStatus.AWAITING_CONFIRMATION, Execution.UNCERTAIN)
    company.clock.forward(48 * HOUR)
    await company.store.transaction(company.engine.approvals.expire)
    assert await company.due() == []
    assert (await company.work(run)).status is RunStatus.AWAITING_CONFIRMATION
    assert company.channel.sent == []


@pytest.mark.parametrize(
    ("verdict", "state", "sent", "outcome"),
    [
        (Verdict.WAS_SENT, ProposalState.EXECUTED, [], "ok"),
        (Verdict.SEND_AGAIN, ProposalState.EXECUTED, [HELLO], "ok"),
        (Verdict.DROP, ProposalState.FAILED, [], "error"),
    ],
)
async def test_a_person_settles_what_is_uncertain(
    company: Company, verdict: Verdict, state: ProposalState, sent: list[str], outcome: str
) -> None:
    """Was sent, send again and drop each do what they say, once, and the run ends."""
    company.channel.faults.append(OutcomeUnknown("the answer was lost"))
    run, _ = await company.waiting()
    run = await company.settle(run, Verdict.APPROVE)
    run = await company.settle(run, verdict, IGOR)
    settled = await company.proposal(run)
    assert (run.status, settled.state, company.channel.texts) == (RunStatus.DONE, state, sent)
    assert [record.outcome for record in await company.journal(run, Kind.TOOL)] == [outcome]
    assert company.tamper("SELECT verdict, person_id FROM decisions ORDER BY id") == [
        ("approve", OLGA.id),
        (verdict.value, IGOR.id),
    ]


async def test_what_certainly_was_not_sent_goes_out_later_once(company: Company) -> None:
    """A refusal that passes keeps the approval, waits as long as it was told to, and sends one message."""
    company.channel.faults.append(NotSent("flood control", retry_after=30))
    run, _ = await company.waiting()
    run = await company.settle(run, Verdict.APPROVE)
    proposal = await company.proposal(run)
    assert (run.status, proposal.state, proposal.note) == (
        RunStatus.AWAITING_CONFIRMATION,
        ProposalState.APPROVED,
        "flood control",
    )
    at = company.clock()
    assert await company.store.read(lambda tx: tx.alarms.next(at)) == at + 30 * SECOND
    assert await company.due() == []
    company.clock.forward(30 * SECOND)
    assert await company.due() == [run.id]
    run = await company.work(run)
    assert (run.status, company.channel.sent) == (RunStatus.DONE, [(DANA, HELLO)])
    assert await company.due() == []


async def test_what_will_never_arrive_has_failed_and_the_model_hears_of_it(company: Company) -> None:
    """A lead who blocked the bot: failed, with the reason as the call's result, and the run goes on."""
    company.channel.faults.append(Undeliverable("the lead blocked the bot"))
    run, _ = await company.waiting()
    run = await company.settle(run, Verdict.APPROVE)
    assert (run.status, (await company.proposal(run)).execution) == (RunStatus.DONE, Execution.FAILED)
    (result,) = results(company.requests[1])
    assert result["is_error"] is True
    assert "the lead blocked the bot" in result["content"]


async def test_arguments_changed_after_the_approval_are_not_sent(company: Company) -> None:
    """The hash is what was approved: a row altered behind the engine's back fails and sends nothing."""
    run, proposal = await company.waiting()
    await company.press(proposal, Verdict.APPROVE)
    company.tamper("UPDATE proposals SET arguments = replace(arguments, 'today', 'never')")
    run = await company.work(run)
    assert (run.status, company.channel.sent) == (RunStatus.DONE, [])
    assert (await company.proposal(run)).state is ProposalState.FAILED
    assert results(company.requests[1])[0]["is_error"] is True


class LongReply(Arguments):
    """A later version of the reply's arguments that takes only long texts."""

    text: Annotated[str, StringConstraints(min_length=400)]


class LoudReply(Arguments):
    """A later version that still takes the old arguments but would send other words."""

    text: Annotated[str, StringConstraints(to_upper=True)]


@pytest.mark.parametrize("arguments", [LongReply, LoudReply])
async def test_an_approval_that_no_longer_fits_the_tool_is_not_executed(
    company: Company, arguments: type[Arguments]
) -> None:
    """A deploy after the approval that narrows or alters the tool: nothing leaves, the run goes on."""
    run, proposal = await company.waiting()
    await company.press(proposal, Verdict.APPROVE)
    company.connect(replace(company.agent.tools["send_reply"], arguments=arguments))
    run = await company.work(run)
    failed = await company.proposal(run)
    assert (run.status, failed.state, company.channel.sent) == (RunStatus.DONE, ProposalState.FAILED, [])
    assert failed.note == "what was approved no longer fits the tool"


async def test_a_tool_that_is_not_connected_can_be_approved_and_changes_nothing(company: Company) -> None:
    """Approval confirms the intent and nothing more: the model hears that no such tool is connected."""
    company.connect(replace(company.agent.tools["send_reply"], send=None))
    run, proposal = await company.waiting()
    assert proposal.available is False
    run = await company.settle(run, Verdict.APPROVE)
    assert (run.status, company.channel.sent) == (RunStatus.DONE, [])
    decided = await company.proposal(run)
    assert (decided.confirmation, decided.execution) == (Confirmation.APPROVED, Execution.NOT_ATTEMPTED)
    assert "no such tool is connected" in results(company.requests[1])[0]["content"]


async def test_new_words_of_a_deal_are_not_a_second_deal(company: Company) -> None:
    """The same request asked for twice by the model is one deal, whatever its words."""
    company.script(turn(deal(), deal(summary="A CRM for the clinic, once more.")), turn(say("Done.")))
    run = await company.work(await company.lead())
    assert [found.summary for found in (await company.view(run)).deals] == [NEW_DEAL["summary"]]
