"""Other words for what waits, reasons for what was denied, and approvals that are taken back."""

from dataclasses import replace

import pytest

from agent.errors import Fenced
from agent.jsontext import JsonObject, digest
from agent.ports import Reply
from agent.proposals import (
    Correction,
    DenialReason,
    ProposalState,
    Refusal,
    TextFault,
    Verdict,
)
from agent.runs import RunStatus, Spec
from agent.turn import Policy
from bot.sandbox.script import say, turn
from tests.company import HELLO, IGOR, OLGA, SECOND, Company, deal, reply, results

OWN = "Hello, Dana! Olga here: I will call you at three."
SHORTER = "Hello, Dana! We will call you."
DONE = turn(say("Done."))


async def test_an_edited_text_is_sent_verbatim_and_only_after_an_approval(company: Company) -> None:
    """The operator's text becomes version 2 under another token; the model is told what was sent."""
    run, first = await company.waiting()
    decision = await company.correct(first, Correction.EDIT, OWN)
    second = await company.proposal(run)
    assert decision.refusal is None
    assert (second.id, second.version, second.text, second.edited_by) == (first.id, 2, OWN, OLGA)
    assert (second.state, second.arguments_hash) == (ProposalState.PENDING, digest({"text": OWN}))
    assert second.token != first.token
    run = await company.work(run)
    assert (run.status, company.channel.texts) == (RunStatus.AWAITING_CONFIRMATION, [])
    run = await company.settle(run, Verdict.APPROVE, IGOR)
    assert (run.status, company.channel.texts) == (RunStatus.DONE, [OWN])
    (result,) = results(company.requests[1])
    assert OWN in result["content"]
    assert "edited_by_operator" in result["content"]


@pytest.mark.parametrize(
    ("text", "fault", "bound"),
    [
        ("short", TextFault.TOO_SHORT, 20),
        ("x" * 501, TextFault.TOO_LONG, 500),
        ("  ", TextFault.TOO_SHORT, 20),
    ],
)
async def test_an_operators_text_keeps_to_the_bounds_of_the_tool(
    company: Company, text: str, fault: TextFault, bound: int
) -> None:
    """What the model may not send, an operator may not send through its tool either; nothing changes."""
    _, first = await company.waiting()
    decision = await company.correct(first, Correction.EDIT, text)
    assert (decision.refusal, decision.fault, decision.bound) == (Refusal.INVALID, fault, bound)
    assert decision.proposal == first


async def test_the_agent_writes_again_as_the_remark_says(company: Company) -> None:
    """The remark is the result of the call; the next text is version 2 of the same proposal."""
    run, first = await company.waiting(turn(reply()), turn(reply(SHORTER)), DONE)
    await company.correct(first, Correction.REWRITE, "shorter, please")
    assert (await company.proposal(run)).state is ProposalState.REVISING
    run = await company.work(run)
    (result,) = results(company.requests[1])
    assert "shorter, please" in result["content"]
    (second,) = await company.proposals(run)
    assert (second.id, second.version, second.text, second.edited_by) == (first.id, 2, SHORTER, None)
    run = await company.settle(run, Verdict.APPROVE)
    assert (run.status, company.channel.texts) == (RunStatus.DONE, [SHORTER])


async def test_what_is_not_written_again_is_not_left_open(company: Company) -> None:
    """An agent that ends instead leaves the lead with the people, and nothing that could be approved."""
    run, first = await company.waiting(turn(reply()), DONE)
    await company.correct(first, Correction.REWRITE, "shorter, please")
    run = await company.work(run)
    assert run.status is RunStatus.DONE
    assert (await company.proposal(run)).state is ProposalState.SUPERSEDED
    assert await company.alerted(run)


@pytest.mark.parametrize("correction", [Correction.EDIT, Correction.REWRITE])
async def test_a_press_for_the_version_before_decides_nothing(
    company: Company, correction: Correction
) -> None:
    """Compare-and-set is on the version that was shown."""
    run, first = await company.waiting(turn(reply()), turn(reply(SHORTER)), DONE)
    await company.correct(first, correction, OWN)
    await company.work(run)
    late = await company.store.transaction(
        lambda tx: company.engine.approvals.decide(tx, first, Verdict.APPROVE, OLGA)
    )
    assert late.refusal is Refusal.ALREADY_DECIDED
    assert (await company.proposal(run)).state is ProposalState.PENDING
    assert company.channel.texts == []


async def test_every_version_is_kept(company: Company) -> None:
    """What was proposed before, and whose words they were, stays with the proposal and cannot be changed."""
    _, proposal = await company.waiting()
    for text in (OWN, SHORTER):
        await company.correct(proposal, Correction.EDIT, text)
    kept = await company.store.read(lambda tx: tx.proposals.versions(proposal))
    assert [(item.version, item.arguments["text"], item.edited_by) for item in kept] == [
        (1, HELLO, None),
        (2, OWN, OLGA),
    ]


async def test_a_reason_reaches_the_model(company: Company) -> None:
    """The denied run waits a little for it; given, the run goes on at once, and the journal has it too."""
    company.policy = replace(company.policy, reason=10 * SECOND)
    company.deploy(company.agent)
    run, proposal = await company.waiting()
    run = await company.settle(run, Verdict.DENY)
    assert (run.status, len(company.requests)) == (RunStatus.QUEUED, 1)
    await company.correct(proposal, Correction.REASON, DenialReason.WRONG_FACTS)
    run = await company.work(run)
    assert run.status is RunStatus.DONE
    (result,) = results(company.requests[1])
    assert "the facts in it are wrong" in result["content"]
    assert any("the facts in it are wrong" in str(record.note) for record in await company.journal(run))
    again = await company.correct(proposal, Correction.REASON, "something else")
    assert again.refusal is Refusal.ALREADY_DECIDED


async def test_without_a_reason_the_run_goes_on_by_itself(company: Company) -> None:
    """A reason is optional: after the wait the model is told of the denial alone."""
    company.policy = replace(company.policy, reason=10 * SECOND)
    company.deploy(company.agent)
    run, _ = await company.waiting()
    run = await company.settle(run, Verdict.DENY)
    assert await company.due() == []
    company.clock.forward(10 * SECOND)
    assert await company.due() == [run.id]
    assert (await company.work(run)).status is RunStatus.DONE


async def test_an_approval_can_be_taken_back_until_it_is_carried_out(company: Company) -> None:
    """For `Policy.undo` nothing leaves; undone, the card is open again under another token."""
    company.policy = replace(company.policy, undo=5 * SECOND)
    company.deploy(company.agent)
    run, first = await company.waiting()
    run = await company.settle(run, Verdict.APPROVE)
    assert (run.status, company.channel.texts, await company.due()) == (
        RunStatus.AWAITING_CONFIRMATION,
        [],
        [],
    )
    assert (await company.press(first, Verdict.UNDO, IGOR)).refusal is None
    open_again = await company.proposal(run)
    assert (open_again.state, open_again.decided_by) == (ProposalState.PENDING, None)
    assert open_again.token != first.token
    company.clock.forward(60 * SECOND)
    assert await company.due() == []
    assert company.channel.texts == []


async def test_an_approved_action_leaves_after_the_wait_also_after_a_restart(company: Company) -> None:
    """The wait is a time in the row: a restart neither forgets nor shortens it; then it cannot be undone."""
    company.policy = replace(company.policy, undo=5 * SECOND)
    company.deploy(company.agent)
    run, proposal = await company.waiting()
    await company.settle(run, Verdict.APPROVE)
    await company.restart()
    assert await company.due() == []
    company.clock.forward(5 * SECOND)
    assert await company.due() == [run.id]
    run = await company.work(run)
    assert (run.status, company.channel.texts) == (RunStatus.DONE, [HELLO])
    assert (await company.press(proposal, Verdict.UNDO)).refusal is Refusal.ALREADY_DECIDED


async def test_words_of_the_lead_outdate_what_waits(company: Company) -> None:
    """The card is outdated at once; the run goes on with the words after the result, and asks anew."""
    run, first = await company.waiting(turn(reply()), turn(reply(SHORTER)), DONE)
    await company.write("By the way, it is for two clinics.")
    assert (await company.press(first, Verdict.APPROVE)).refusal is Refusal.ALREADY_DECIDED
    assert (await company.proposal(run)).state is ProposalState.SUPERSEDED
    await company.begin()
    run = await company.work(run)
    assert "two clinics" in str(company.requests[1]["messages"][-1]["content"][-1])
    second = await company.proposal(run)
    assert (second.id != first.id, second.state, second.text) == (True, ProposalState.PENDING, SHORTER)
    run = await company.settle(run, Verdict.APPROVE)
    assert company.channel.texts == [SHORTER]


async def test_nobody_is_asked_about_words_that_are_outdated_already(company: Company) -> None:
    """Words that come while the model writes: its draft is not put before people, it has to read first."""
    company.script(turn(reply()), turn(reply(SHORTER)), DONE)
    run = await company.lead()
    await company.write("It is for two clinics.")
    run = await company.work(run)
    (proposal,) = await company.proposals(run)
    assert proposal.text == SHORTER


class TakenOver:
    """A model during whose answer a person takes the lead over."""

    def __init__(self, company: Company) -> None:
        self._company = company

    async def reply(self, spec: Spec, messages: list[JsonObject], *, max_tokens: int) -> Reply:
        answer = await self._company.model.reply(spec, messages, max_tokens=max_tokens)
        approvals = self._company.engine.approvals
        await self._company.store.transaction(lambda tx: approvals.take_over(tx, tx.runs.open()[0], OLGA))
        return answer


async def test_a_run_that_was_taken_over_stores_nothing_more(company: Company) -> None:
    """The worker that has it in hand is fenced off: no deal, no proposal, and the end stands."""
    company.script(turn(deal(), reply()), DONE)
    company.engine = company.engine_of(company.agent, TakenOver(company))
    run = await company.lead()
    with pytest.raises(Fenced):
        await company.engine.advance(run.id)
    view = await company.view(run)
    assert (view.run.status, view.deals, view.proposals) == (RunStatus.CANCELLED, [], [])
    assert await company.alerted(run)


async def test_an_approved_reply_can_be_taken_over_until_it_leaves(company: Company) -> None:
    """Within the wait after an approval nothing leaves any more."""
    company.policy = replace(company.policy, undo=5 * SECOND)
    company.deploy(company.agent)
    run, _ = await company.waiting()
    await company.settle(run, Verdict.APPROVE)
    assert await company.store.transaction(
        lambda tx: company.engine.approvals.take_over(tx, tx.runs.get(run.id), IGOR)
    )
    company.clock.forward(60 * SECOND)
    assert await company.due() == []
    assert (await company.proposal(run)).state is ProposalState.SUPERSEDED
    assert company.channel.texts == []


def test_the_policy_waits_for_nothing_by_default() -> None:
    """Waits are chosen by whoever serves people; evaluations and replays have none."""
    assert (Policy().undo, Policy().reason) == (0, 0)
