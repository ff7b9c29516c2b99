"""What people say while a worker has the run in its hands: it is neither lost nor overruled."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from agent.errors import OutcomeUnknown
from agent.limits import Limits
from agent.proposals import Correction, Proposal, ProposalState, Refusal, Verdict
from agent.runs import Run, RunStatus
from bot.sandbox.script import say, turn
from tests.company import HELLO, IGOR, SECOND, Company, reply, results
from tests.engine.test_words import Interrupted

OTHER = "Hello again, Dana! The manager will bring examples of our work."
SHORTER = "Hello, Dana! We will call you."
DONE = turn(say("Done."))
Say = Callable[[Company, Proposal], Awaitable[object]]


async def go_on(company: Company, run: Run) -> Run:
    """Work as long as something is due, as the worker does."""
    while run.id in await company.due():
        await company.engine.advance(run.id)
    return await company.run(run)


@asynccontextmanager
async def sending(company: Company, run: Run) -> AsyncIterator[None]:
    """The block happens while an approved message is on its way; after it the run goes on."""
    company.channel.door.clear()
    worker = asyncio.create_task(company.engine.advance(run.id))
    await asyncio.wait_for(company.channel.knocked.wait(), 10)
    yield
    company.channel.door.set()
    await worker


async def approve(company: Company, proposal: Proposal) -> None:
    await company.press(proposal, Verdict.APPROVE, IGOR)


async def deny(company: Company, proposal: Proposal) -> None:
    await company.press(proposal, Verdict.DENY, IGOR)


async def send_back(company: Company, proposal: Proposal) -> None:
    await company.correct(proposal, Correction.REWRITE, "shorter, please", IGOR)


async def write(company: Company, _: Proposal) -> None:
    await company.write("By the way, it is for two clinics.")
    await company.begin()


async def expire(company: Company, proposal: Proposal) -> None:
    company.clock.at = proposal.expires_at
    await company.store.transaction(company.engine.approvals.expire)


@pytest.mark.parametrize(
    ("say", "state", "sent"),
    [
        (approve, ProposalState.EXECUTED, [HELLO, OTHER]),
        (deny, ProposalState.DENIED, [HELLO]),
        (send_back, ProposalState.SUPERSEDED, [HELLO]),  # and never written again, see the script
        (write, ProposalState.SUPERSEDED, [HELLO]),
        (expire, ProposalState.EXPIRED, [HELLO]),
    ],
)
async def test_the_second_is_decided_while_the_first_is_sent(
    company: Company, say: Say, state: ProposalState, sent: list[str]
) -> None:
    """The sender goes on with what was decided meanwhile; the run does not stand still."""
    run, second = await company.waiting(turn(reply(), reply(OTHER)), DONE, DONE)
    first, _ = await company.proposals(run)
    await company.press(first, Verdict.APPROVE)
    async with sending(company, run):
        await say(company, second)
    run = await go_on(company, run)
    assert (run.status, company.channel.texts) == (RunStatus.DONE, sent)
    assert (await company.proposal(run)).state is state
    assert company.api.violations == []


async def test_an_edit_while_the_first_is_sent(company: Company) -> None:
    """The text that was put in its place waits like the one before it."""
    run, second = await company.waiting(turn(reply(), reply(OTHER)), DONE)
    first, _ = await company.proposals(run)
    await company.press(first, Verdict.APPROVE)
    async with sending(company, run):
        await company.correct(second, Correction.EDIT, SHORTER, IGOR)
    run = await go_on(company, run)
    assert (run.status, company.channel.texts) == (RunStatus.AWAITING_CONFIRMATION, [HELLO])
    await company.settle(run, Verdict.APPROVE)
    assert company.channel.texts == [HELLO, SHORTER]


@pytest.mark.parametrize("verdict", [Verdict.DENY, Verdict.APPROVE])
async def test_the_first_is_decided_after_the_second(company: Company, verdict: Verdict) -> None:
    """What was approved before leaves as soon as it is its turn, whatever became of the one before it."""
    run, second = await company.waiting(turn(reply(), reply(OTHER)), DONE)
    first, _ = await company.proposals(run)
    await company.press(second, Verdict.APPROVE)
    run = await go_on(company, run)
    await company.press(first, verdict)
    run = await go_on(company, run)
    sent = [HELLO, OTHER] if verdict is Verdict.APPROVE else [OTHER]
    assert (run.status, company.channel.texts) == (RunStatus.DONE, sent)


async def test_a_draft_that_is_written_again_holds_nothing_up(company: Company) -> None:
    """The next of the same reply leaves when its wait is over; then the agent writes the first again."""
    company.policy = replace(company.policy, undo=5 * SECOND)
    company.deploy(company.agent)
    run, second = await company.waiting(turn(reply(), reply(OTHER)), turn(reply(SHORTER)), DONE)
    first, _ = await company.proposals(run)
    await company.correct(first, Correction.REWRITE, "shorter, please")
    run = await go_on(company, run)
    await company.press(second, Verdict.APPROVE)
    company.clock.forward(5 * SECOND)
    run = await go_on(company, run)
    assert company.channel.texts == [OTHER]
    assert [item.text for item in await company.proposals(run)] == [SHORTER, OTHER]


async def test_a_denial_of_one_does_not_forbid_to_write_the_other_again(company: Company) -> None:
    """Denied is not asked again by the agent; what a person wants written again is."""
    run, second = await company.waiting(turn(reply(), reply(OTHER)), turn(reply(SHORTER)), DONE)
    first, _ = await company.proposals(run)
    await company.correct(second, Correction.REWRITE, "shorter, please")
    await company.press(first, Verdict.DENY)
    run = await go_on(company, run)
    assert [(item.state, item.text) for item in await company.proposals(run)] == [
        (ProposalState.DENIED, HELLO),
        (ProposalState.PENDING, SHORTER),
    ]


async def test_only_what_was_sent_back_is_asked_again(company: Company) -> None:
    """Not what the agent adds to it, where the same was denied before."""
    again = turn(reply(SHORTER), reply("Hello, Dana! And one more thing."))
    run, second = await company.waiting(turn(reply(), reply(OTHER)), again, DONE)
    first, _ = await company.proposals(run)
    await company.correct(second, Correction.REWRITE, "shorter, please")
    await company.press(first, Verdict.DENY)
    run = await go_on(company, run)
    assert [item.text for item in await company.proposals(run)] == [HELLO, SHORTER]
    run = await company.settle(run, Verdict.APPROVE)
    assert (run.status, company.channel.texts) == (RunStatus.DONE, [SHORTER])


async def test_what_is_uncertain_is_not_sent_again_in_place_of_a_person(company: Company) -> None:
    """Who answers instead can still say what came of it; the agent sends nothing any more."""
    run, proposal = await company.waiting()
    company.channel.faults.append(OutcomeUnknown("no answer"))
    run = await company.settle(run, Verdict.APPROVE)
    await company.store.transaction(lambda tx: company.engine.approvals.take_over(tx, run, IGOR))
    assert (await company.press(proposal, Verdict.SEND_AGAIN)).refusal is Refusal.ALREADY_DECIDED
    assert (await company.proposal(run)).state is ProposalState.UNCERTAIN
    assert (await company.press(proposal, Verdict.DROP)).refusal is None
    assert (await company.proposal(run)).state is ProposalState.FAILED


async def test_words_come_while_a_draft_is_written_again(company: Company) -> None:
    """The remark is outdated with the draft; the agent reads the words, and asks anew."""
    company.engine = company.engine_of(company.agent, Interrupted(company, 2, "It is for two clinics."))
    run, first = await company.waiting(turn(reply()), turn(reply(SHORTER)), turn(reply(OTHER)), DONE)
    await company.correct(first, Correction.REWRITE, "shorter, please")
    run = await go_on(company, run)
    assert [(item.state, item.text) for item in await company.proposals(run)] == [
        (ProposalState.SUPERSEDED, HELLO),
        (ProposalState.PENDING, OTHER),
    ]
    assert "two clinics" in str(company.requests[2]["messages"][-1])
    (result,) = results(company.requests[2])
    assert "the lead wrote again" in result["content"]


async def test_words_come_while_a_draft_is_written_again_for_the_last_time(company: Company) -> None:
    """At the limit of steps the run ends, and the words become a lead of their own."""
    company.change(limits=Limits(max_steps=2, max_tokens=60_000))
    company.engine = company.engine_of(company.agent, Interrupted(company, 2, "It is for two clinics."))
    run, first = await company.waiting(turn(reply()), turn(reply(SHORTER)), DONE)
    await company.correct(first, Correction.REWRITE, "shorter, please")
    run = await go_on(company, run)
    assert run.status is RunStatus.MAX_STEPS
    assert len(await company.begin()) == 1
