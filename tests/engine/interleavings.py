"""Any order of what leads, the model, people, time and trouble do: the promises hold after every step.

`python -m tests.engine.interleavings` tries many more orders than the suite has time for.
"""

import argparse
import asyncio
import json
import sqlite3
import tempfile
from collections import Counter, deque
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, closing, suppress
from contextvars import ContextVar, copy_context
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from pathlib import Path
from typing import Any, cast

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from hypothesis.stateful import run_state_machine_as_test as run_machine

from agent import transcript
from agent.channels import Letter
from agent.claude import Claude
from agent.conditions import Condition, LeadField
from agent.errors import Fenced, ModelUnavailable, NotSent, OutcomeUnknown, Undeliverable
from agent.jsontext import JsonObject, digest
from agent.policies import Policies, RulesPolicy, ToolPolicy, WrittenRule
from agent.ports import Reply
from agent.proposals import Correction, Decision, DenialReason, Proposal, ProposalState, Verdict, legal
from agent.rules import RuleState, RuleVerdict
from agent.runs import Person, Run, RunStatus, Spec
from agent.turn import Policy
from bot.sandbox.script import Call, Turn, call, say, turn
from storage.proposals import proposal_of
from storage.runs import run_of
from storage.transaction import SqliteTransaction
from tests.company import IGOR, NEW_DEAL, OLGA, SECOND, RecordingChannel, open_company

PEOPLE = (OLGA, IGOR, Person(id=3, name="Bek"))
LEADS = (77, 78)
SHARED_MEMORY = Path("/dev/shm")
PROPOSALS = "SELECT * FROM proposals ORDER BY id"
# A rule from the beginning; narrower ones are earned, and covered by it.
WRITTEN = WrittenRule(tool="send_reply", when=(Condition(lead=LeadField.SOURCE, equals="telegram"),))
RULES = """
    SELECT token, state FROM rule_changes WHERE change = (
        SELECT max(change) FROM rule_changes AS other WHERE other.rule_id = rule_changes.rule_id
    ) ORDER BY rule_id
"""
FRAGMENTS = "SELECT run_id, fragment FROM transcript ORDER BY run_id, seq"
UNREAD = "SELECT id FROM messages WHERE lead_id IS NULL"
WRITING = "SELECT id FROM contacts WHERE burst_due IS NOT NULL"
# What a result says that asks for another reply.
AGAIN = "asks for other words"
# Rounds in which everything has to come to its end once nobody disturbs it.
ROUNDS = 40


class Place(Enum):
    """Where a worker can be held: the model has answered, the message is about to leave, or has arrived."""

    MODEL = "model"
    BEFORE_SENDING = "before sending"
    AFTER_SENDING = "after sending"


class Delivery(StrEnum):
    """What comes of a sending."""

    SENT = "sent"
    NOT_SENT = "not sent"
    UNDELIVERABLE = "undeliverable"
    LOST_AND_ARRIVED = "lost and arrived"
    LOST = "lost"


class Answer(StrEnum):
    """What the model says next."""

    REPLY = "reply"
    TWO_REPLIES = "two replies"
    THREE_REPLIES = "three replies"
    DEAL_AND_REPLY = "deal and reply"
    REPLY_AND_DEAL = "reply and deal"
    BAD_REPLY = "bad reply"
    UNKNOWN_TOOL = "unknown tool"
    ESCALATE = "escalate"
    DONE = "done"
    AWAY = "away"


@dataclass(slots=True, kw_only=True)
class Hand:
    """A worker's hold of a run; it stops once at each of `stops`, until it is told to go on."""

    run_id: int
    stops: set[Place]
    delivery: Delivery
    task: "asyncio.Task[Run | None] | None" = None
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    on: asyncio.Event = field(default_factory=asyncio.Event)

    async def at(self, place: Place) -> None:
        if place not in self.stops:
            return
        self.stops.discard(place)
        self.reached.set()
        await self.on.wait()
        self.on.clear()


HAND: ContextVar[Hand] = ContextVar("HAND")


class Written:
    """Texts that nobody wrote before; without figures, which no source would say."""

    def __init__(self) -> None:
        self._count = 0

    def text(self, who: str) -> str:
        self._count += 1
        letters = "".join(chr(ord("a") + int(digit)) for digit in str(self._count))
        return f"Hello! This is what {who} wrote as letter {letters}."


class Model:
    """Answers as it is told, and where it is told nothing as a sensible model would.

    Through the real client and server.
    """

    def __init__(self, written: Written) -> None:
        self.answers: deque[Answer] = deque()
        self._written = written

    def reply(self, body: JsonObject) -> Turn:
        """The server's side."""
        return self._turn(self.answers.popleft() if self.answers else _sensible(body))

    def _turn(self, answer: Answer) -> Turn:
        deal = call("create_deal", NEW_DEAL)
        match answer:
            case Answer.REPLY:
                return turn(self._reply())
            case Answer.TWO_REPLIES:
                return turn(self._reply(), self._reply())
            case Answer.THREE_REPLIES:
                return turn(self._reply(), self._reply(), self._reply())
            case Answer.DEAL_AND_REPLY:
                return turn(deal, self._reply())
            case Answer.REPLY_AND_DEAL:
                return turn(self._reply(), deal, self._reply())
            case Answer.BAD_REPLY:
                return turn(call("send_reply", {"text": "short"}))
            case Answer.UNKNOWN_TOOL:
                return turn(call("send_money"), self._reply())
            case Answer.ESCALATE:
                return turn(call("escalate_to_manager", {"reason": "Nobody knows what is wanted."}))
            case Answer.DONE | Answer.AWAY:
                return turn(say("Done."))

    def _reply(self) -> Call:
        return call("send_reply", {"text": self._written.text("the agent")})


def _sensible(body: JsonObject) -> Answer:
    """Two replies for new words, another for what shall be written again, an end after all else."""
    said = body["messages"][-1]["content"]
    results = [block["content"] for block in said if block["type"] == "tool_result"]
    if not all(block["type"] == "tool_result" for block in said):
        return Answer.TWO_REPLIES
    return Answer.REPLY if any(AGAIN in result for result in results) else Answer.DONE


class Client:
    """The engine's side of the model: may be away, and may be slow."""

    def __init__(self, real: Claude, model: Model) -> None:
        self._real = real
        self._model = model

    async def reply(self, spec: Spec, messages: list[JsonObject], *, max_tokens: int) -> Reply:
        if self._model.answers and self._model.answers[0] is Answer.AWAY:
            self._model.answers.popleft()
            raise ModelUnavailable("away")
        answer = await self._real.reply(spec, messages, max_tokens=max_tokens)
        await HAND.get().at(Place.MODEL)
        return answer


class Channel(RecordingChannel):
    """Sends as the hand says that it goes; what arrived is kept in `letters`."""

    async def send(self, letter: Letter) -> JsonObject:
        hand = HAND.get()
        await hand.at(Place.BEFORE_SENDING)
        delivery, hand.delivery = hand.delivery, Delivery.SENT
        if delivery in (Delivery.SENT, Delivery.LOST_AND_ARRIVED):
            await super().send(letter)
        await hand.at(Place.AFTER_SENDING)
        match delivery:
            case Delivery.NOT_SENT:
                raise NotSent("no connection", retry_after=1)
            case Delivery.UNDELIVERABLE:
                raise Undeliverable("the bot is blocked")
            case Delivery.LOST | Delivery.LOST_AND_ARRIVED:
                raise OutcomeUnknown("no answer")
        return {"message_id": len(self.letters)}


class Rows:
    """What is stored, read behind the engine's back."""

    def __init__(self, path: Path) -> None:
        with closing(sqlite3.connect(path, timeout=5)) as connection:
            connection.row_factory = sqlite3.Row
            self.proposals = {row["id"]: proposal_of(row) for row in connection.execute(PROPOSALS)}
            self.runs = [run_of(row) for row in connection.execute("SELECT * FROM runs ORDER BY id")]
            self.unread = [row[0] for row in connection.execute(UNREAD)]
            self.writing = {row[0] for row in connection.execute(WRITING)}
            self._decisions = connection.execute("SELECT * FROM decisions ORDER BY id").fetchall()
            self._fragments = connection.execute(FRAGMENTS).fetchall()
            self.rules = [(row["token"], RuleState(row["state"])) for row in connection.execute(RULES)]

    def decisions(self, proposal: Proposal) -> list[sqlite3.Row]:
        return [row for row in self._decisions if row["proposal_id"] == proposal.id]

    @property
    def decided(self) -> int:
        return len(self._decisions)

    @property
    def passed(self) -> int:
        """How often a rule approved something."""
        approvals = (row for row in self._decisions if row["verdict"] == Verdict.APPROVE)
        return sum(row["person_id"] < 0 for row in approvals)

    @property
    def in_force(self) -> bool:
        return any(state is RuleState.ACTIVE for _, state in self.rules)

    @property
    def open(self) -> list[Any]:
        """What has not come to its end."""
        runs = [run for run in self.runs if not run.status.over]
        proposals = [item for item in self.proposals.values() if reachable(item.state) != {item.state}]
        return [*runs, *proposals, *self.unread]

    def of_run(self, run: Run) -> list[Proposal]:
        return [proposal for proposal in self.proposals.values() if proposal.run_id == run.id]

    def waits_for(self, run: Run) -> Proposal | None:
        """The proposal of the first call without a result."""
        said = (json.loads(row["fragment"]) for row in self._fragments if row["run_id"] == run.id)
        messages = transcript.merge(said)
        first = next(transcript.open_calls(messages), None)
        return next((item for item in self.of_run(run) if first and item.call_id == first.id), None)


class Interleavings(RuleBasedStateMachine):
    """Leads, the model, people and trouble, a step at a time."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.stack = AsyncExitStack()
        self.written = Written()
        self.hands: list[Hand] = []
        self.slow: tuple[Place, ...] = ()
        self.delivery = Delivery.SENT
        self.seen: list[Proposal] = []
        self.before: dict[int, Proposal] = {}
        self.ruled: tuple[bool, int] = (False, 0)

    @initialize(
        undo=st.sampled_from([0, 5 * SECOND]),
        reason=st.sampled_from([0, 10 * SECOND]),
        quorum=st.sampled_from([1, 1, 2]),
        irreversible=st.booleans(),
        slow=st.sampled_from([(), (Place.BEFORE_SENDING,), tuple(Place)]),
    )
    def begin(self, undo: int, reason: int, quorum: int, irreversible: bool, slow: tuple[Place, ...]) -> None:
        """Two times, how many have to approve, whether rules may do it, and where workers are slow."""
        self.slow = slow
        shared = SHARED_MEMORY if SHARED_MEMORY.is_dir() else None
        folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory(dir=shared)))
        self.company = self._run(self.stack.enter_async_context(open_company(folder / "lead-agent.db")))
        self.model = Model(self.written)
        self.company.api.model = self.model
        self.company.model = cast(Claude, Client(self.company.model, self.model))
        self.company.channel = self.channel = Channel()
        policies = Policies(
            tools={"send_reply": ToolPolicy(quorum=quorum, irreversible=irreversible)},
            rules=RulesPolicy(propose_after=1, valid_days=3),
            rule=() if irreversible else (WRITTEN,),
        )
        admins = frozenset({OLGA.id})
        self.company.policy = Policy(undo=undo, reason=reason, admins=admins, policies=policies)
        self.company.change(channel=self.channel)
        self._run(self.company.store.transaction(self.company.engine.rules.read_policy))
        self._accept()
        self.write(lead=LEADS[0], more=False)

    def _accept(self) -> None:
        """Olga accepts what was written, so that there is something to undo from the beginning."""
        for token, _ in Rows(self.company.path).rules:
            self._say_of_a_rule(token, RuleVerdict.ACCEPT, OLGA)

    def _say_of_a_rule(self, token: str, verdict: RuleVerdict, person: Person) -> None:
        decide = self.company.engine.rules.decide
        self._run(self.company.store.transaction(lambda tx: decide(tx, token, verdict, person)))

    def _run(self, awaitable: Any) -> Any:
        return self.loop.run_until_complete(awaitable)

    # --- leads, time, trouble

    @rule(lead=st.sampled_from(LEADS), more=st.booleans())
    def write(self, lead: int, more: bool) -> None:
        """A lead writes; with `more` to come the burst is still open."""
        self._run(self.company.write("We need a CRM for our clinic.", lead, f"Lead {lead}"))
        if not more:
            self._run(self._work())

    @rule(seconds=st.sampled_from([1, 6, 6, 11, 11, 60, 3_600, 25 * 3_600]))
    def wait(self, seconds: int) -> None:
        self.company.clock.forward(seconds * SECOND)
        self._run(self._work())

    @rule(answers=st.lists(st.sampled_from(Answer), max_size=3))
    def have_the_model_say(self, answers: list[Answer]) -> None:
        """What it says next; then it is sensible again."""
        self.model.answers = deque(answers)

    @rule(delivery=st.sampled_from(Delivery))
    def have_the_channel(self, delivery: Delivery) -> None:
        """What comes of the next sending of the next worker."""
        self.delivery = delivery

    @rule()
    def restart(self) -> None:
        """The process dies with all that its workers have in hand."""
        self._run(self._restart())

    async def _restart(self) -> None:
        executions = list(self.company.engine._executions)
        tasks = [hand.task for hand in self.hands if hand.task]
        for task in (*tasks, *executions):
            task.cancel()
        await asyncio.gather(*tasks, *executions, return_exceptions=True)
        self.hands.clear()
        await self.company.restart()
        await self._work()

    # --- the worker

    async def _work(self) -> None:
        """As the worker does: all that is due is taken up, until nothing is."""
        for _ in range(ROUNDS):
            if not (due := await self._due()):
                return
            hand = Hand(run_id=due[0], stops=set(self.slow), delivery=self.delivery)
            self.delivery = Delivery.SENT
            self.hands.append(hand)
            await self._begin(hand)
        raise AssertionError(f"{due} are due without an end")

    async def _due(self) -> list[int]:
        """What the worker does whenever something may be due; the runs that can go on."""
        await self.company.store.transaction(self.company.engine.approvals.expire)
        await self.company.store.transaction(self.company.engine.rules.end_overdue)
        await self.company.begin()
        ready = [*self.company.engine._started, *await self.company.due()]
        in_hand = {hand.run_id for hand in self.hands}
        return [id for id in ready if id not in in_hand]

    async def _begin(self, hand: Hand) -> None:
        context = copy_context()
        context.run(HAND.set, hand)
        advance = self.company.engine.advance(hand.run_id)
        hand.task = asyncio.get_running_loop().create_task(advance, context=context)
        await self._follow(hand)

    async def _follow(self, hand: Hand) -> None:
        """Wait until a worker is done or stops."""
        assert hand.task is not None
        reached = asyncio.ensure_future(hand.reached.wait())
        await asyncio.wait({hand.task, reached}, return_when=asyncio.FIRST_COMPLETED)
        reached.cancel()
        hand.reached.clear()
        if hand.task.done():
            self.hands.remove(hand)
            self._look_at(hand)

    def _look_at(self, hand: Hand) -> None:
        """A worker loses its run to nobody but people who take the lead over."""
        assert hand.task is not None
        fault = hand.task.exception()
        (run,) = [run for run in Rows(self.company.path).runs if run.id == hand.run_id]
        assert fault is None or (isinstance(fault, Fenced) and run.status is RunStatus.CANCELLED), repr(fault)

    @precondition(lambda self: self.hands)
    @rule(chosen=st.integers(0, 3))
    def go_on(self, chosen: int) -> None:
        """A slow worker goes on."""
        self._run(self._go_on(self.hands[chosen % len(self.hands)]))
        self._run(self._work())

    async def _go_on(self, hand: Hand) -> None:
        hand.on.set()
        await self._follow(hand)

    # --- people

    @rule(chosen=st.integers(0, 9), person=st.sampled_from(PEOPLE))
    def approve(self, chosen: int, person: Person) -> None:
        waiting = [item for item in self.before.values() if item.state is ProposalState.PENDING]
        if waiting:
            self._press(waiting[chosen % len(waiting)], Verdict.APPROVE, person)

    @rule(chosen=st.integers(0, 9), verdict=st.sampled_from(Verdict), person=st.sampled_from(PEOPLE))
    def press(self, chosen: int, verdict: Verdict, person: Person) -> None:
        """What the card offers now."""
        offered = [item for item in self.before.values() if item.state is verdict.applies_to]
        if offered:
            self._press(offered[chosen % len(offered)], verdict, person)

    @rule(chosen=st.integers(0, 9), correction=st.sampled_from(Correction), person=st.sampled_from(PEOPLE))
    def correct(self, chosen: int, correction: Correction, person: Person) -> None:
        offered = [item for item in self.before.values() if item.state is correction.applies_to]
        if offered:
            self._correct(offered[chosen % len(offered)], correction, person)

    @precondition(lambda self: self.seen)
    @rule(
        chosen=st.integers(0, 99),
        said=st.sampled_from([*Verdict, *Correction]),
        person=st.sampled_from(PEOPLE),
    )
    def say_of_something_seen_before(self, chosen: int, said: Verdict | Correction, person: Person) -> None:
        """On an old screen, or for what the card does not offer."""
        shown = self.seen[chosen % len(self.seen)]
        if isinstance(said, Verdict):
            self._press(shown, said, person)
        else:
            self._correct(shown, said, person)

    def _press(self, shown: Proposal, verdict: Verdict, person: Person) -> None:
        self._say(shown, lambda tx, it: self.company.engine.approvals.decide(tx, it, verdict, person))

    def _correct(self, shown: Proposal, correction: Correction, person: Person) -> None:
        approvals = self.company.engine.approvals
        match correction:
            case Correction.EDIT:
                text = self.written.text("an operator")
                self._say(shown, lambda tx, it: approvals.edit(tx, it, text, person))
            case Correction.REWRITE:
                self._say(shown, lambda tx, it: approvals.rewrite(tx, it, "kinder, please", person))
            case Correction.REASON:
                self._say(shown, lambda tx, it: approvals.give_reason(tx, it, DenialReason.TONE, person))

    def _say(self, shown: Proposal, say: Callable[[SqliteTransaction, Proposal], Decision]) -> None:
        """Say something of what is shown; of what has changed since nothing is decided."""
        decided = Rows(self.company.path).decided

        def said(tx: SqliteTransaction) -> tuple[bool, Decision]:
            current = tx.proposals.get(shown.id)
            fresh = current.token == shown.token
            return fresh, say(tx, current if fresh else shown)

        fresh, decision = self._run(self.company.store.transaction(said))
        after = Rows(self.company.path)
        if after.decided > decided:
            assert fresh, f"{shown} decided something"
            if isinstance(decision.verdict, Verdict):
                assert after.decisions(shown)[-1]["arguments_hash"] == digest(shown.arguments)
        self._run(self._work())

    @rule(chosen=st.integers(0, 20), person=st.sampled_from(PEOPLE))
    def take_over(self, chosen: int, person: Person) -> None:
        """A person answers instead of the agent; seldom, for that is the end of a run."""
        runs = [run for run in Rows(self.company.path).runs if not run.status.over]
        if chosen >= len(runs):
            return
        run = runs[chosen]

        def take(tx: SqliteTransaction) -> None:
            if self.company.engine.approvals.take_over(tx, tx.runs.get(run.id), person):
                tx.contacts.read_by_people(run)

        self._run(self.company.store.transaction(take))
        self._run(self._work())

    @precondition(lambda self: bool(Rows(self.company.path).rules))
    @rule(
        chosen=st.integers(0, 9),
        verdict=st.sampled_from([RuleVerdict.ACCEPT, RuleVerdict.RESUME, *RuleVerdict]),
        person=st.sampled_from([OLGA, OLGA, IGOR]),
    )
    def say_of_a_rule(self, chosen: int, verdict: RuleVerdict, person: Person) -> None:
        """Olga is the admin: what Igor says changes nothing."""
        before = Rows(self.company.path).rules
        token, _ = before[chosen % len(before)]
        self._say_of_a_rule(token, verdict, person)
        assert person == OLGA or Rows(self.company.path).rules == before
        self._run(self._work())

    # --- the promises

    @invariant()
    def the_promises_hold(self) -> None:
        rows = Rows(self.company.path)
        self._states_are_legal(rows)
        self._nobody_is_asked_again(rows)
        self._sent_is_what_was_approved(rows)
        self._everything_waits_for_something(rows)
        self._rules_pass_nothing_but_in_force(rows)
        assert self.company.api.violations == []
        known = {proposal.token for proposal in self.seen}
        self.seen += [proposal for proposal in rows.proposals.values() if proposal.token not in known]
        self.before = rows.proposals

    def _rules_pass_nothing_but_in_force(self, rows: Rows) -> None:
        """And only an agent's own first text, for which one person would have been enough."""
        was_in_force, passed = self.ruled
        assert rows.passed == passed or was_in_force or rows.in_force
        for proposal in rows.proposals.values():
            if proposal.rule_id is not None:
                assert (proposal.version, proposal.quorum, proposal.marks) == (1, 1, ())
                assert not self.company.policy.policies.tool(proposal.tool).irreversible
        self.ruled = (rows.in_force, rows.passed)

    def _states_are_legal(self, rows: Rows) -> None:
        for id, old in self.before.items():
            new = rows.proposals[id]
            assert new.state in reachable(old.state), f"{old} became {new}"
            assert new.version >= old.version
            if not reachable(old.state) - {old.state}:
                assert new.arguments == old.arguments

    def _nobody_is_asked_again(self, rows: Rows) -> None:
        """What was denied or not decided in time is not asked in the same run by another proposal."""
        no = (ProposalState.DENIED, ProposalState.EXPIRED)
        refused = {item.run_id for item in self.before.values() if item.state in no}
        for proposal in rows.proposals.values():
            assert proposal.id in self.before or proposal.run_id not in refused, f"asked again: {proposal}"

    def _sent_is_what_was_approved(self, rows: Rows) -> None:
        arrived = Counter(self.channel.texts)
        for text, times in arrived.items():
            (proposal,) = [item for item in rows.proposals.values() if item.text == text]
            assert proposal.state in WAS_APPROVED, f"{proposal} arrived"
            given = rows.decisions(proposal)
            again = [row["verdict"] for row in given].count(Verdict.SEND_AGAIN)
            assert times <= 1 + again, f"{times} times: {proposal}"
            self._is_approved(proposal, given)
        for proposal in rows.proposals.values():
            verdicts = {row["verdict"] for row in rows.decisions(proposal)}
            if proposal.state is ProposalState.EXECUTED and Verdict.WAS_SENT not in verdicts:
                assert arrived[str(proposal.text)], f"{proposal} never arrived"

    @staticmethod
    def _is_approved(proposal: Proposal, given: Sequence[sqlite3.Row]) -> None:
        """So many different people approved exactly these words, and nobody said anything else since."""
        settled = (Verdict.WAS_SENT, Verdict.SEND_AGAIN, Verdict.DROP)
        approvals = [row for row in given if row["verdict"] not in settled][-proposal.quorum :]
        assert {row["verdict"] for row in approvals} == {Verdict.APPROVE}, f"not approved: {proposal}"
        assert {row["arguments_hash"] for row in approvals} == {digest(proposal.arguments)}
        assert len({row["person_id"] for row in approvals}) == proposal.quorum

    def _everything_waits_for_something(self, rows: Rows) -> None:
        """A run in nobody's hands is due, or has its time, or waits for people."""
        in_hand = {hand.run_id for hand in self.hands}
        due = self._run(self._would_be_due())
        now = self.company.clock()
        for run in rows.runs:
            if run.status.over or run.id in in_hand or run.id in due:
                continue
            match run.status:
                case RunStatus.RUNNING:
                    assert run.id in self.company.engine._started, f"{run.run_id} is in nobody's hands"
                case RunStatus.QUEUED:
                    assert (run.retry_at or 0) > now, f"{run.run_id} is queued and not due"
                case _:
                    proposal = rows.waits_for(run)
                    assert proposal is not None, f"{run.run_id} waits for nothing"
                    later = proposal.state is ProposalState.APPROVED and proposal.execute_after > now
                    asked = proposal.state in (ProposalState.PENDING, ProposalState.UNCERTAIN)
                    writing = run.contact_id in rows.writing
                    assert later or asked or writing, f"{run.run_id} waits for {proposal}"

    async def _would_be_due(self) -> list[int]:
        found: list[int] = []

        def look(tx: SqliteTransaction) -> None:
            found.extend(tx.alarms.queued(self.company.clock()))
            raise Undone

        with suppress(Undone):
            await self.company.store.transaction(look)
        return found

    # --- the end

    def teardown(self) -> None:
        """Left in peace, everything comes to its end."""
        try:
            if hasattr(self, "company"):
                self._run(self._finish())
        finally:
            self._run(self.stack.aclose())
            self.loop.close()

    async def _finish(self) -> None:
        self.model.answers.clear()
        self.slow, self.delivery = (), Delivery.SENT
        for _ in range(ROUNDS):
            if not (self.hands or Rows(self.company.path).open):
                break
            for hand in list(self.hands):
                await self._go_on(hand)
            await self._decide_all()
            self.company.clock.forward(60 * SECOND)
            await self._work()
        rows = Rows(self.company.path)
        assert rows.open == []
        self._sent_is_what_was_approved(rows)

    async def _decide_all(self) -> None:
        for proposal in Rows(self.company.path).proposals.values():
            match proposal.state:
                case ProposalState.PENDING:
                    for person in PEOPLE:
                        await self.company.press(proposal, Verdict.APPROVE, person)
                case ProposalState.UNCERTAIN:
                    await self.company.press(proposal, Verdict.DROP)


class Undone(Exception):
    """Undoes a look that would change something."""


WAS_APPROVED = frozenset(
    {
        ProposalState.APPROVED,
        ProposalState.EXECUTING,
        ProposalState.EXECUTED,
        ProposalState.FAILED,
        ProposalState.UNCERTAIN,
    }
)


def reachable(state: ProposalState) -> set[ProposalState]:
    """The states that arrows lead to from this one, itself among them."""
    found = {state}
    while more := {after for before in found for after in ProposalState if legal(before, after)} - found:
        found |= more
    return found


def check(*, examples: int, steps: int, shrink: bool = True) -> None:
    """Try so many orders of so many steps; raises what a promise that does not hold raises."""
    run_machine(
        Interleavings,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.generate, Phase.shrink] if shrink else [Phase.generate],
        ),
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.engine.interleavings", description=__doc__)
    parser.add_argument("--examples", type=int, default=600)
    parser.add_argument("--steps", type=int, default=50)
    parser.add_argument("--whole", action="store_true", help="show a failing order as it was found")
    arguments = parser.parse_args()
    check(examples=arguments.examples, steps=arguments.steps, shrink=not arguments.whole)


if __name__ == "__main__":
    main()
