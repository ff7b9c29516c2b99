"""A model that tries everything, before operators who do anything: the promises hold."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import chain, count, cycle, islice
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.errors import NotSent, OutcomeUnknown, Undeliverable
from agent.jsontext import digest, dumps
from agent.proposals import Correction, Proposal, ProposalState, Verdict
from agent.runs import Run, RunStatus
from bot.sandbox.script import Call, Say, StopReason, Think, Turn, say, turn, turns_done
from bot.sandbox.transcript import Json
from tests.company import HOUR, IGOR, OLGA, SECOND, Company, open_company

TOOLS = ("get_customer_history", "create_deal", "send_reply", "escalate_to_manager")
GOOD = st.sampled_from(
    [
        "Hello! A manager will call you today.",
        "  Hello, once more and politely.  ",
        "Здравствуйте! Мы скоро позвоним. 😀",
    ]
)
ODD = st.sampled_from(["short", "x" * 501, "", "\ud800" * 30, "\x00" * 30]) | st.text(max_size=60)
TEXTS = GOOD | GOOD | ODD
VALUES = st.none() | st.integers() | st.floats() | TEXTS | st.lists(TEXTS, max_size=2)
# Arguments that no tool has, as an attacker would like them.
EXTRA = st.dictionaries(
    st.sampled_from(["phone", "telegram_id", "lead_id", "to"]), VALUES, min_size=1, max_size=2
)

REPLIES = st.builds(lambda text: Call("send_reply", {"text": text}), TEXTS)
DEALS = st.builds(
    lambda service, text: Call("create_deal", {"service": service, "summary": text}),
    st.sampled_from(["crm", "website", "seo"]),
    TEXTS,
)
ESCALATIONS = st.builds(lambda text: Call("escalate_to_manager", {"reason": text}), TEXTS)
FITTING = st.one_of(REPLIES, REPLIES, DEALS, ESCALATIONS, st.just(Call("get_customer_history", {})))
WITH_MORE = st.builds(lambda call, more: Call(call.name, call.input | more), FITTING, EXTRA)
ANYTHING = st.builds(
    Call,
    st.sampled_from([*TOOLS, "send_money", "sql", "send_reply2"]),
    st.dictionaries(st.text(max_size=5), VALUES, max_size=3),
)
CALLS = st.one_of(*[FITTING] * 4, WITH_MORE, ANYTHING)
WORDS = st.one_of(st.builds(Say, TEXTS), st.builds(Think, TEXTS))

ACTING = st.builds(
    lambda words, calls: Turn(content=(*words, *calls), stop_reason=StopReason.TOOL_USE),
    st.lists(WORDS, max_size=2),
    st.lists(CALLS, min_size=2, max_size=6),
)
STOPPING = st.builds(
    lambda content, stop: Turn(content=tuple(content), stop_reason=stop),
    st.lists(CALLS | WORDS, max_size=4),
    # A turn pauses for the API's own tools only, which a script cannot call: see test_limits.
    st.sampled_from([reason for reason in StopReason if reason is not StopReason.PAUSE_TURN]),
)
TURNS = st.lists(st.one_of(*[ACTING] * 6, STOPPING), min_size=2, max_size=5)

FAULTS = st.sampled_from(
    [
        lambda: NotSent("later", retry_after=5),
        lambda: Undeliverable("-"),
        lambda: OutcomeUnknown("-"),
        ValueError,
    ]
)
ACTIONS = st.sampled_from(
    [*Verdict, *Correction, Verdict.APPROVE, Verdict.APPROVE, "both", "late", "wait", "write", "restart"]
)


@dataclass(frozen=True)
class Talk:
    """Says its turns one by one, then that it is done for as long as it is asked."""

    turns: Sequence[Turn]

    def reply(self, body: Json) -> Turn:
        number = turns_done(body)
        return self.turns[number] if number < len(self.turns) else turn(say("Done."))


async def act(company: Company, run: Run, proposal: Proposal | None, action: Any, who: int) -> None:
    """Whatever people and time can do to a run that rests."""
    match action:
        case "wait":
            company.clock.forward(10 * SECOND)
        case "late":
            company.clock.forward(25 * HOUR)
            await company.store.transaction(company.engine.approvals.expire)
        case "write":
            await company.write(f"more of secret-{who};", who, f"secret-{who};")
            assert await company.begin() == []
        case "restart":
            await company.restart()
        case "both" if proposal:
            await asyncio.gather(
                company.press(proposal, Verdict.DENY, IGOR), company.press(proposal, Verdict.APPROVE, OLGA)
            )
        case Verdict() if proposal:
            await company.press(proposal, action)
        case Correction() if proposal:
            await company.correct(proposal, action, "Hello! This is an operator's own text.")


def last_resort() -> Iterator[Any]:
    """What ends every run, when arbitrary operators have not."""
    return cycle([Verdict.APPROVE, Verdict.DROP, "wait"])


async def work(company: Company, turns: list[Turn], actions: list[Any], who: int) -> Run:
    """One lead's run, from its first word to its end."""
    company.api.model = Talk(turns)
    await company.write(f"words of secret-{who};", who, f"secret-{who};")
    runs = {(await company.view(run)).lead.telegram_id: run for run in await company.begin()}
    run = runs[who]
    for action in chain(islice(cycle(actions or ["wait"]), 15), islice(last_resort(), 60)):
        run = await company.work(run)
        while run.id in await company.due():  # the next of the same reply was approved before
            run = await company.work(run)
        if run.status.over:
            return run
        proposals = await company.proposals(run)
        assert_it_waits_for_something(run, proposals, company)
        await act(company, run, next(filter(is_open, proposals), None), action, who)
        await company.due()
    raise AssertionError(f"the run never ended: {run}")


def is_open(proposal: Proposal) -> bool:
    return proposal.state in (ProposalState.PENDING, ProposalState.UNCERTAIN)


def assert_it_waits_for_something(run: Run, proposals: list[Proposal], company: Company) -> None:
    assert run.status is RunStatus.AWAITING_CONFIRMATION
    assert any(
        is_open(proposal)
        or (proposal.state is ProposalState.APPROVED and proposal.execute_after > company.clock())
        for proposal in proposals
    )


def assert_promises(company: Company, who: int) -> None:
    sent = Counter(digest({"text": text}) for _, text in company.channel.sent)
    assert {telegram_id for telegram_id, _ in company.channel.sent} <= {who}
    allowed: Counter[str] = Counter()
    rows = company.tamper(
        "SELECT decisions.arguments_hash FROM decisions"
        " JOIN proposals ON proposals.id = proposal_id JOIN runs ON runs.id = run_id"
        " JOIN contacts ON contacts.id = runs.contact_id"
        " WHERE telegram_id = ? AND verdict IN ('approve', 'send_again')",
        who,
    )
    for (decided,) in rows:
        allowed[decided] += 1
    assert sent <= allowed
    assert company.api.violations == []
    seen = dumps(company.requests)
    others = {word.partition(";")[0] for word in seen.split("secret-")[1:]}
    assert others <= {str(who)}


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    with asyncio.Runner() as runner:
        yield runner


@pytest.fixture(scope="module")
def shared(runner: asyncio.Runner, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Company]:
    """One company for all examples: its database fills with other people's secrets."""
    stack = AsyncExitStack()
    path = tmp_path_factory.mktemp("obedient") / "lead-agent.db"
    yield runner.run(stack.enter_async_context(open_company(path)))
    runner.run(stack.aclose())


NUMBERS = count(1)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(
    conversations=st.lists(TURNS, min_size=1, max_size=3),
    actions=st.lists(ACTIONS, min_size=3, max_size=8),
    faults=st.lists(FAULTS, max_size=2),
)
def test_the_promises_hold_whatever_the_model_and_the_operators_do(
    runner: asyncio.Runner,
    shared: Company,
    conversations: list[list[Turn]],
    actions: list[Any],
    faults: list[Callable[[], Exception]],
) -> None:
    """Nothing leaves without an approval of exactly that, at most once each, to the run's own lead; nobody
    else's data is in any request; every transcript is legal; and every run waits for people or ends.
    """
    who = next(NUMBERS)
    shared.channel.sent.clear()
    shared.channel.faults.clear()
    shared.channel.faults.extend(make() for make in faults)
    shared.api.requests.clear()
    shared.api.violations.clear()
    for turns in conversations:
        runner.run(work(shared, turns, actions, who))
        shared.clock.forward(SECOND)
    assert_promises(shared, who)
