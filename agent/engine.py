"""The loop: bounded, journaled, resumed from its rows alone.

`advance` takes a run as far as it goes without a person.  The transcript is the state: whoever takes a run
up settles the calls without a result first, in the same transaction; then the model is asked.  A reply and
all that follows from it inside the company are one transaction; an external action is three steps: commit
`executing`, send, commit the outcome.
"""

import asyncio
import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic

from agent import calls, conclusions, passing, pauses, transcript
from agent.approvals import Approvals
from agent.clock import Clock
from agent.errors import (
    ModelError,
    ModelNonsense,
    ModelUnavailable,
    NotSent,
    OutcomeUnknown,
    TranscriptRefused,
    Undeliverable,
)
from agent.journal import Kind, Record
from agent.jsontext import JsonObject
from agent.ports import Model, Reply, Store, Transaction
from agent.proposals import Proposal, ProposalState
from agent.results import Concluding
from agent.rulebook import Rulebook
from agent.runs import Lead, Person, Run, RunStatus
from agent.tools import Arguments, Risk, Tool
from agent.turn import Agent, Policy, Turn, Work

log = logging.getLogger(__name__)

# The largest max_tokens that the SDK takes without streaming.
ROOMIER = 21_333
STOPPED_WHILE_SENDING = "the program stopped while sending"
APPROVED_TOO_LONG_AGO = "the approval was too old when it could be carried out"
NO_LONGER_FITS = "what was approved no longer fits the tool"
# What people change in a run that a worker has in its hands.
OPEN_TO_PEOPLE = frozenset({ProposalState.PENDING, ProposalState.REVISING, ProposalState.APPROVED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An approved call about to be executed."""

    proposal: Proposal
    tool: Tool
    arguments: Arguments


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of an execution; `wait` is in milliseconds, for what certainly did not leave."""

    state: ProposalState
    note: str | None = None
    wait: int = 0
    ms: int = 0
    receipt: JsonObject | None = None


class Engine:
    """Runs agents over a store and a model.

    Holds no state of any run, apart from those it has started and nobody has advanced yet.
    """

    def __init__(
        self,
        *,
        store: Store,
        model: Model,
        agents: Mapping[str, Agent],
        clock: Clock,
        policy: Policy | None = None,
    ) -> None:
        self._store = store
        self._model = model
        self._agents = agents
        self._concluding = {name: agent for name, agent in agents.items() if isinstance(agent, Concluding)}
        self._clock = clock
        self.policy = policy or Policy()
        self.rules = Rulebook(policy=self.policy, clock=clock)
        self.approvals = Approvals(agents=agents, policy=self.policy, rules=self.rules, clock=clock)
        self._started: dict[int, Work] = {}
        self._paused = False  # since some of them were started; of all else the rows tell
        self._executions: set[asyncio.Task[Work]] = set()

    def start(self, tx: Transaction, lead: Lead, agent: str, *, name: str | None = None) -> Run:
        """A run for `lead`, in the transaction that takes the lead in; over at once if its input is refused.

        It is this process's from the beginning, so that nothing has to be read or claimed to advance it; a
        run that is not advanced before the process ends is queued by the next one.
        name: what people call it instead of run-12; a number is added where an earlier run has that name.
        """
        maker = self._agents[agent]
        spec, task = maker.spec, maker.task(lead)
        run = Run(
            id=0,
            agent=agent,
            lead_id=lead.id,
            contact_id=lead.contact_id,
            spec_hash=spec.hash,
            status=RunStatus.RUNNING,
            limits=maker.limits,
            created_at=self._clock(),
            epoch=1,
            name=name and tx.runs.free_name(name),
        )
        if tx.paused:  # it waits in the queue like every other
            run = tx.runs.create(replace(run, status=RunStatus.QUEUED, epoch=0), lead, spec, task)
            pauses.show_waiting(tx, run)
            return run
        run = tx.runs.create(run, lead, spec, task)
        work = Work(run=run, lead=lead, spec=spec, messages=[task], max_tokens=spec.max_tokens)
        turn = self._turn(tx, work)
        if conclusions.refuse(turn):
            return turn.end().run
        tx.after_commit(lambda: self._started.update({run.id: work}))
        return run

    async def advance(self, id: int) -> Run | None:
        """Take a started or queued run as far as it goes without a person; None if it was neither.

        Raises Fenced if another worker took the run up meanwhile, StorageError if nothing can be stored.
        """
        work = self._started.pop(id, None)
        if work is None:
            work = await self._resume(id)
        elif self._paused:
            work = await self._store.transaction(partial(self._keep_waiting, work=work))
        while work is not None and work.run.status is RunStatus.RUNNING:
            work = await self._ask(work)
        return work.run if work else None

    async def drain(self, seconds: float) -> None:
        """Wait until what is being executed has its outcome stored, at most `seconds`."""
        if self._executions:
            await asyncio.wait(self._executions, timeout=seconds)

    def stumble(self, tx: Transaction, id: int, reason: str) -> None:
        """Put a run whose worker broke back into the queue; after too long it is left to people."""
        run = tx.runs.get(id)
        if run.status not in (RunStatus.RUNNING, RunStatus.QUEUED):  # queued: it could not be taken up
            return
        at = self._clock()
        later = self._with_result(tx, self._later(run, reason, at))
        tx.record(run.id, Record.of_run(later, later.status, at, note=reason))
        tx.runs.save(later)
        tx.alert(run.id)

    def _later(self, run: Run, reason: str, at: int, retry_after: float | None = None) -> Run:
        """The run queued for another time, with backoff; failed once it has been failing for too long."""
        policy, since = self.policy, run.failing_since or at
        if at - since > policy.give_up_after:
            return replace(run, status=RunStatus.FAILED, reason=reason, retry_at=None, finished_at=at)
        wait = max(policy.first_retry * 2 ** min(run.attempts, 16), int((retry_after or 0) * 1000))
        return replace(
            run,
            status=RunStatus.QUEUED,
            attempts=run.attempts + 1,
            failing_since=since,
            retry_at=at + min(wait, policy.longest_retry),
            reason=reason,
        )

    def _with_result(self, tx: Transaction, run: Run) -> Run:
        """The run as it was given, with the result of a run that broke off if it is over."""
        concluding = self._concluding.get(run.agent)
        if concluding is None or not run.status.over:
            return run
        proposal = next(reversed(tx.proposals.of_run(run.id)), None)
        conclusion = concluding.broke_off(run, tx.runs.lead(run), run.status, proposal)
        return replace(run, status=conclusion.status, result=conclusion.result, text=conclusion.text)

    def _turn(self, tx: Transaction, work: Work) -> Turn:
        agent = work.run.agent
        concluding = self._concluding.get(agent)
        return Turn(tx, work, self._agents[agent], self.policy, self._clock(), concluding=concluding)

    def _next_turn(self, tx: Transaction, work: Work) -> Turn:
        """The turn of a run that was in hand for a while: people may have decided in it meanwhile."""
        if any(proposal.state in OPEN_TO_PEOPLE for proposal in work.proposals):
            work = replace(work, proposals=tuple(tx.proposals.of_run(work.run.id)))
        return self._turn(tx, work)

    def switch(self, tx: Transaction, *, paused: bool, person: Person) -> pauses.Turned:
        """Stop the agent, or let it go on; see agent.pauses."""
        turned = pauses.turn(tx, paused=paused, person=person, at=self._clock())
        tx.after_commit(lambda: setattr(self, "_paused", paused))
        return turned

    def _keep_waiting(self, tx: Transaction, work: Work) -> Work:
        """A run that was started before the pause and not advanced yet."""
        return self._turn(tx, work).end()

    # --- asking the model

    async def _ask(self, work: Work) -> Work:
        started = monotonic()
        try:
            reply = await self._reply(work)
        except ModelUnavailable as fault:
            postpone = partial(self._postpone, work=work, fault=fault, ms=_ms(started))
            return await self._store.transaction(postpone)
        except ModelError as fault:
            give_up = partial(self._give_up, work=work, fault=fault, ms=_ms(started))
            return await self._store.transaction(give_up)
        durable = not self._costs_only_a_call(work, reply)
        return await self._store.transaction(
            lambda tx: self._take(tx, work, reply, _ms(started)), durable=durable
        )

    async def _reply(self, work: Work) -> Reply:
        try:
            return await self._model.reply(work.spec, work.messages, max_tokens=work.max_tokens)
        except TranscriptRefused:
            stripped = transcript.without_thinking(work.messages)
            if stripped == work.messages:
                raise
            if await self._store.transaction(lambda tx: tx.paused, durable=False):
                raise ModelUnavailable("paused by hand") from None
            return await self._model.reply(work.spec, stripped, max_tokens=work.max_tokens)

    def _costs_only_a_call(self, work: Work, reply: Reply) -> bool:
        """Whether a power cut that takes this reply costs one more call of the model and nothing else."""
        tools = self._agents[work.run.agent].tools
        wanted = [tools.get(str(block.get("name"))) for block in reply.content if block["type"] == "tool_use"]
        if not wanted and work.run.agent in self._concluding:  # it may ask for an operation, which is shown
            return False
        return all(tool is not None and tool.risk is Risk.READ for tool in wanted)

    def _postpone(self, tx: Transaction, work: Work, fault: ModelUnavailable, ms: int) -> Work:
        """A passing fault: the run waits in the queue; after too long it is left to people."""
        turn = self._next_turn(tx, work)
        turn.record(Kind.MODEL, work.spec.model, "unavailable", ms, note=str(fault))
        turn.run = self._later(work.run, str(fault), turn.at, fault.retry_after)
        if turn.run.status.over:
            turn.finish(turn.run.status, turn.run.reason)
        tx.alert(work.run.id)
        return turn.end()

    def _give_up(self, tx: Transaction, work: Work, fault: ModelError, ms: int) -> Work:
        turn = self._next_turn(tx, work)
        turn.record(Kind.MODEL, work.spec.model, "error", ms, note=str(fault))
        turn.finish(RunStatus.FAILED, str(fault))
        return turn.end()

    def _take(self, tx: Transaction, work: Work, reply: Reply, ms: int) -> Work:
        """Store a reply and do all that follows from it inside the company."""
        turn = self._next_turn(tx, work)
        refused = reply.stop_reason == "refusal"
        turn.run = replace(
            work.run,
            steps=work.run.steps + 1,
            usage=work.run.usage + reply.usage,
            attempts=0,
            failing_since=None,
            retry_at=None,
            reason=None,
            text=work.run.text if refused else transcript.said(reply.content) or work.run.text,
        )
        if work.run.failing_since is not None:
            tx.alert(work.run.id)  # people were told that it waits; it does no longer
        outcome = reply.stop_reason or "none"
        turn.record(Kind.MODEL, work.spec.model, outcome, ms, tokens=reply.usage.total)
        self._follow(turn, reply)
        return _ended(turn)

    def _follow(self, turn: Turn, reply: Reply) -> None:
        match reply.stop_reason:
            case "tool_use":
                self._take_calls(turn, reply)
            case "end_turn" | "stop_sequence":
                # Calls run only on tool_use; one kept without a result would spoil the transcript.
                if words := transcript.without_calls(reply.content):
                    turn.add({"role": "assistant", "content": words})
                conclusions.conclude(turn)
            case "pause_turn" if reply.content and reply.content == transcript.without_calls(reply.content):
                turn.add({"role": "assistant", "content": reply.content})
                turn.keep_limits()  # the paused turn goes back as it is: no new words before it is finished
            case "max_tokens" if turn.max_tokens < ROOMIER:
                turn.max_tokens = ROOMIER
                turn.keep_limits()
            case other:
                turn.finish(
                    RunStatus.STOPPED, f"the model stopped without finishing: {other or 'no reason given'}"
                )

    def _take_calls(self, turn: Turn, reply: Reply) -> None:
        try:
            wanted = transcript.calls(reply.content)
        except ModelNonsense as fault:
            return turn.finish(RunStatus.FAILED, str(fault))
        if not wanted and reply.stop_reason == "tool_use":
            return turn.finish(RunStatus.FAILED, "the model asked for a tool and named none")
        if transcript.call_ids(turn.messages) & {call.id for call in wanted}:
            return turn.finish(RunStatus.FAILED, "the model used the id of an earlier tool call again")
        turn.add({"role": "assistant", "content": reply.content})
        return calls.settle(turn)

    # --- external actions

    async def _resume(self, id: int) -> Work | None:
        """Claim a queued run and go on where it stopped: execute what was approved, settle the rest."""
        work, order = await self._store.transaction(lambda tx: self._take_up(tx, id))
        if work is None or order is None:
            return work
        execution = asyncio.create_task(self._execute(work, order))
        self._executions.add(execution)
        execution.add_done_callback(self._executions.discard)
        return await asyncio.shield(execution)  # a stop may end the run's worker, not a message on its way

    async def _execute(self, work: Work, order: Order) -> Work:
        outcome = await _executed(order, work.lead)
        return await self._store.transaction(lambda tx: self._close(tx, work, order.proposal, outcome))

    def _take_up(self, tx: Transaction, id: int) -> tuple[Work | None, Order | None]:
        """Claim a run; what can be settled is, and what was approved is committed as `executing`.

        While the manual stop is on only what was cut off is taken up, to be put before the people.
        """
        if tx.paused and not any(item.state is ProposalState.EXECUTING for item in tx.proposals.of_run(id)):
            return None, None
        run = tx.runs.claim(id, self._clock())
        if run is None:  # another worker has it, or it waits for its time
            return None, None
        work = _work(tx, run)
        turn = self._turn(tx, work)
        for proposal in work.proposals:
            if proposal.state is ProposalState.EXECUTING:  # its sender is gone: only a person can tell
                turn.move(proposal, ProposalState.UNCERTAIN, note=STOPPED_WHILE_SENDING)
        conclusions.resume(turn)
        order, going = None, turn.run.status is RunStatus.RUNNING
        if going and (call := next(transcript.open_calls(turn.messages), None)):
            order = self._open(turn, turn.proposals.get(call.id))
            if order is None:
                return _settled(turn), None
        return turn.end(), order  # the fence: only the run's present worker may begin

    def _open(self, turn: Turn, proposal: Proposal | None) -> Order | None:
        """Move to `executing` if an approval of exactly this stands; once committed, it may have left."""
        if proposal is None or proposal.state is not ProposalState.APPROVED or not proposal.available:
            return None
        if (proposal.decided_at or 0) + self.policy.approval_ttl <= turn.at:
            turn.move(proposal, ProposalState.FAILED, note=APPROVED_TOO_LONG_AGO)
            return None
        if proposal.rule_id is not None and not passing.still_passes(turn, proposal):
            passing.take_back(turn, proposal)
            return None
        if proposal.execute_after > turn.at:
            return None
        approved = turn.tx.proposals.approved_hash(proposal.id) == proposal.arguments_hash
        if not approved or (fitting := calls.still_fits(turn, proposal)) is None:
            turn.move(proposal, ProposalState.FAILED, note=NO_LONGER_FITS)
            return None
        if proposal.by_hand:
            turn.move(proposal, ProposalState.HANDED_OVER)
            return None
        tool, arguments = fitting
        return Order(proposal=turn.move(proposal, ProposalState.EXECUTING), tool=tool, arguments=arguments)

    def _close(self, tx: Transaction, work: Work, proposal: Proposal, outcome: Outcome) -> Work:
        turn = self._next_turn(tx, work)
        execute_after = turn.at + outcome.wait if outcome.state is ProposalState.APPROVED else 0
        turn.move(
            proposal,
            outcome.state,
            note=outcome.note,
            receipt=outcome.receipt,
            execute_after=execute_after,
            ms=outcome.ms,
        )
        return _settled(turn)


def _work(tx: Transaction, run: Run) -> Work:
    """A claimed run as its rows have it."""
    spec = tx.runs.spec(run)
    return Work(
        run=run,
        lead=tx.runs.lead(run),
        spec=spec,
        messages=transcript.merge(tx.runs.transcript(run)),
        max_tokens=spec.max_tokens,
        proposals=tuple(tx.proposals.of_run(run.id)),
    )


def _settled(turn: Turn) -> Work:
    """Settle the open calls."""
    calls.settle(turn)
    return _ended(turn)


def _ended(turn: Turn) -> Work:
    """Store the run; one whose next call was approved before is queued for it at once."""
    work = turn.end()
    if _is_due(turn):
        turn.tx.runs.queue(work.run.id)
    return work


def _is_due(turn: Turn) -> bool:
    """Whether a run that waits has an approved call to carry out now."""
    call = next(transcript.open_calls(turn.messages), None)
    proposal = turn.proposals.get(call.id) if call else None
    approved = proposal is not None and proposal.state is ProposalState.APPROVED
    return approved and proposal is not None and proposal.available and proposal.execute_after <= turn.at


async def _executed(order: Order, lead: Lead) -> Outcome:
    """Do it, and say what is known of it: only what the channel is sure of counts as sent or not sent."""
    assert order.tool.send is not None
    started = monotonic()
    try:
        receipt = await order.tool.send(order.arguments, lead, order.proposal)
    except NotSent as fault:
        outcome = Outcome(state=ProposalState.APPROVED, note=str(fault), wait=int(fault.retry_after * 1000))
    except Undeliverable as fault:
        outcome = Outcome(state=ProposalState.FAILED, note=str(fault))
    except OutcomeUnknown as fault:
        outcome = Outcome(state=ProposalState.UNCERTAIN, note=str(fault))
    except Exception as fault:  # nothing is known of a channel that broke: a person has to look
        log.exception("the channel broke while sending %s", order.proposal.proposal_id)
        outcome = Outcome(state=ProposalState.UNCERTAIN, note=type(fault).__name__)
    else:
        outcome = Outcome(state=ProposalState.EXECUTED, receipt=receipt)
    return replace(outcome, ms=_ms(started))


def _ms(started: float) -> int:
    return round((monotonic() - started) * 1000)
