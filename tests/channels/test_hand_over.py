"""A reply that a person sends: approved, handed over, delivered and failed are four things."""

import json

import pytest

from agent.channels import ChannelKind
from agent.errors import NotSent, OutcomeUnknown
from agent.jsontext import JsonObject
from agent.proposals import ProposalState, Refusal, Verdict
from agent.runs import Run, RunStatus
from agent.views import run_object
from tests.company import HELLO, HOUR, IGOR, OLGA, SECOND, Company, results

DELIVERED, NOT_REACHED = Verdict.DELIVERED, Verdict.NOT_REACHED


@pytest.fixture
def company(company: Company) -> Company:
    """Nobody can be written to."""
    company.channel.way = ChannelKind.HAND_OVER
    return company


async def told(company: Company, run: Run) -> tuple[JsonObject, JsonObject]:
    """The reply and the proposal of `show --json`."""
    found = run_object(await company.view(run), None)
    return found["replies"][-1], found["proposals"][-1]


async def handed_over(company: Company) -> Run:
    run, _ = await company.waiting()
    return await company.settle(run, Verdict.APPROVE)


async def test_an_approval_hands_over_and_sends_nothing(company: Company) -> None:
    """The run goes on and ends; the model is told that nothing was sent; nobody says delivered."""
    run = await handed_over(company)
    assert (company.channel.sent, run.status) == ([], RunStatus.DONE)
    assert json.loads(results(company.requests[-1])[0]["content"]) == {
        "sent": False,
        "handed_over_to_operator": True,
    }
    reply, proposal = await told(company, run)
    assert reply == {"text": HELLO, "channel": "hand_over", "address": "77", "state": "handed_over"}
    assert (proposal["confirmation_status"], proposal["execution_status"]) == ("approved", "handed_over")
    assert (proposal["decided_by"]["name"], proposal["settled_by"]) == ("Olga", None)


@pytest.mark.parametrize(
    ("verdict", "state", "execution"),
    [(DELIVERED, "delivered", "executed"), (NOT_REACHED, "failed", "failed")],
)
async def test_only_a_persons_word_makes_it_delivered(
    company: Company, verdict: Verdict, state: str, execution: str
) -> None:
    """Or failed; who approved it and who sent it are two people, and both stay known."""
    run = await handed_over(company)
    company.clock.forward(HOUR)
    decision = await company.press(await company.proposal(run), verdict, IGOR)
    assert decision.refusal is None
    reply, proposal = await told(company, run)
    assert (reply["state"], proposal["execution_status"]) == (state, execution)
    assert (proposal["decided_by"]["name"], proposal["settled_by"]["name"]) == ("Olga", "Igor")
    assert (await company.proposal(run)).executed_at == company.clock()
    talk = await company.store.read(lambda tx: tx.crm.conversation(tx.runs.lead(run), 10))
    assert (HELLO in [said.text for said in talk]) is (verdict is DELIVERED)
    again = await company.press(await company.proposal(run), DELIVERED)
    assert again.refusal is Refusal.ALREADY_DECIDED
    assert (await company.store.read(lambda tx: tx.audit.verify())).fault is None


async def test_nothing_is_delivered_that_was_not_handed_over(company: Company) -> None:
    """A press before the approval, or on a reply that a channel sends, changes nothing."""
    run, proposal = await company.waiting()
    for verdict in (DELIVERED, NOT_REACHED):
        assert (await company.press(proposal, verdict)).refusal is Refusal.ALREADY_DECIDED
    await company.settle(run, Verdict.DENY)
    company.channel.way = ChannelKind.TELEGRAM
    run, _ = await company.waiting()
    await company.settle(run, Verdict.APPROVE)
    assert (await company.press(await company.proposal(run), DELIVERED)).refusal is Refusal.ALREADY_DECIDED
    assert (await told(company, run))[0]["state"] == "executed"


async def test_a_hand_over_survives_a_restart_and_waits_for_the_end_of_a_pause(company: Company) -> None:
    """While the agent is stopped nothing is handed over; afterwards it is, once."""
    run, proposal = await company.waiting()
    await company.store.transaction(lambda tx: company.engine.switch(tx, paused=True, person=OLGA))
    await company.press(proposal, Verdict.APPROVE)
    await company.work(run)
    assert (await company.proposal(run)).state is ProposalState.APPROVED
    await company.store.transaction(lambda tx: company.engine.switch(tx, paused=False, person=OLGA))
    await company.work(run)
    await company.restart()
    assert (await company.proposal(run)).state is ProposalState.HANDED_OVER
    assert await company.due() == []


async def test_the_way_that_was_shown_is_the_way_that_is_taken(company: Company) -> None:
    """Whatever the settings say by the time it leaves; every try of a reply carries the same key."""
    company.channel.way = ChannelKind.EMAIL
    run, _ = await company.waiting()
    company.channel.way = ChannelKind.HAND_OVER
    company.channel.faults.extend([NotSent("greylisted", retry_after=1), OutcomeUnknown("lost")])
    await company.settle(run, Verdict.APPROVE)
    company.clock.forward(2 * SECOND)
    await company.due()
    await company.work(run)
    assert (await company.proposal(run)).state is ProposalState.UNCERTAIN
    await company.settle(run, Verdict.SEND_AGAIN)
    *_, letter = company.channel.letters
    assert (letter.route.kind, letter.route.address) == (ChannelKind.EMAIL, "77")
    assert letter.key == (await company.proposal(run)).key
    assert (await told(company, run))[0]["channel"] == "email"


async def test_another_text_has_another_key(company: Company) -> None:
    """Two proposals, and two databases, never share one: a receiver would drop the second."""
    company.channel.way = ChannelKind.EMAIL
    first, _ = await company.waiting()
    await company.settle(first, Verdict.APPROVE)
    second, _ = await company.waiting()
    await company.settle(second, Verdict.APPROVE)
    keys = [letter.key for letter in company.channel.letters]
    assert len(set(keys)) == 2
    assert [key.partition(".")[0] for key in keys] == ["P-1", "P-2"]
