"""One run in one transaction: every change is stored and in hand at once."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from agent import pauses, transcript
from agent.errors import Fenced
from agent.journal import Kind, Record
from agent.jsontext import JsonObject
from agent.limits import Limits
from agent.policies import Policies
from agent.ports import Transaction
from agent.proposals import Outdated, Proposal, ProposalState, legal
from agent.reminding import Reminding
from agent.results import Concluding, Conclusion
from agent.runs import Lead, Run, RunStatus, Spec
from agent.tools import Tool


class Agent(Protocol):
    """What the engine runs: what the model is told, the bounds, the tools and the task of one lead."""

    @property
    def spec(self) -> Spec: ...
    @property
    def limits(self) -> Limits: ...
    @property
    def tools(self) -> Mapping[str, Tool]: ...
    def task(self, lead: Lead) -> JsonObject: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Times of the engine, in milliseconds, and who is who.

    undo: how long an approved action waits, and can be taken back; reason: how long a run whose proposal was
    denied waits for the reason.  admins: user ids of those who may approve what only admins may.
    policies: what an approval takes.  reminding: when people are told again of what waits for them.
    """

    approval_ttl: int = 24 * 3_600_000
    undo: int = 0
    reason: int = 0
    admins: frozenset[int] = frozenset()
    policies: Policies = field(default_factory=Policies)
    reminding: Reminding = field(default_factory=Reminding)
    first_retry: int = 2_000
    longest_retry: int = 300_000
    give_up_after: int = 24 * 3_600_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """A run in a worker's hands between two transactions."""

    run: Run
    lead: Lead
    spec: Spec
    messages: list[JsonObject]
    max_tokens: int
    proposals: tuple[Proposal, ...] = ()


class Turn:
    """What one transaction does to one run.

    `run`, `messages` and `proposals` (by call id) are how it stands: nobody else changes them while a worker
    has the run.  `end` stores the run and what was added to it, and is the fence.
    """

    def __init__(
        self,
        tx: Transaction,
        work: Work,
        agent: Agent,
        policy: Policy,
        at: int,
        *,
        concluding: Concluding | None,
    ) -> None:
        self.tx = tx
        self.run = work.run
        self.lead = work.lead
        self.messages = work.messages
        self.max_tokens = work.max_tokens
        self.proposals = {proposal.call_id: proposal for proposal in work.proposals}
        self._spec = work.spec
        self._added: list[JsonObject] = []
        self.tools = agent.tools
        self.concluding = concluding
        self.policy = policy
        self.at = at

    @property
    def system(self) -> str:
        """What the model is told beforehand."""
        return self._spec.system

    def add(self, fragment: JsonObject) -> None:
        """Append to the transcript."""
        self._added.append(fragment)
        self.messages = transcript.merge([*self.messages, fragment])

    def end(self) -> Work:
        """Store how the run stands now; Fenced, which undoes the transaction, if another worker has it.

        A run that would go on by itself waits in the queue while the manual stop is on.
        """
        if self.run.status is RunStatus.RUNNING and self.tx.paused:
            self.hold()
        return Work(
            run=self.tx.runs.save(self.run, self._added),
            lead=self.lead,
            spec=self._spec,
            messages=self.messages,
            max_tokens=self.max_tokens,
            proposals=tuple(self.proposals.values()),
        )

    def record(
        self,
        kind: Kind,
        name: str,
        outcome: str,
        ms: int = 0,
        *,
        tokens: int | None = None,
        input: JsonObject | None = None,
        proposal: Proposal | None = None,
        note: str | None = None,
        attempt: int | None = None,
    ) -> None:
        """Write a line of the journal."""
        entry = Record(
            step=self.run.steps,
            kind=kind,
            name=name,
            outcome=outcome,
            ms=ms,
            tokens=tokens,
            input=input,
            proposal_id=proposal.proposal_id if proposal else None,
            note=note,
            attempt=attempt,
            at=self.at,
            run_id=self.run.run_id,
        )
        self.tx.record(self.run.id, entry)

    def move(
        self,
        proposal: Proposal,
        after: ProposalState,
        *,
        note: str | None = None,
        receipt: JsonObject | None = None,
        execute_after: int = 0,
        ms: int = 0,
    ) -> Proposal:
        """Move a proposal along an arrow of its drawing, journaled; Fenced if somebody moved it before."""
        assert legal(proposal.state, after), f"{proposal.state} -> {after}"
        moved = self.tx.proposals.move(
            proposal, after, self.at, note=note, receipt=receipt, execute_after=execute_after
        )
        if moved is None:
            raise Fenced(f"{proposal.proposal_id} was moved by another worker")
        self.proposals[moved.call_id] = moved
        self.record(Kind.EXECUTION, proposal.tool, after, ms, proposal=proposal, note=note)
        return moved

    def revise(self, proposal: Proposal, revised: Proposal) -> None:
        """Put the agent's next text in the place of the one that was sent back; Fenced as for `move`."""
        stored = self.tx.proposals.revise(proposal, revised, self.at)
        if stored is None:
            raise Fenced(f"{proposal.proposal_id} was moved by another worker")
        del self.proposals[proposal.call_id]
        self.proposals[stored.call_id] = stored
        self.record(Kind.PROPOSAL, stored.tool, stored.state, input=stored.arguments, proposal=stored)

    def proposal(self) -> Proposal | None:
        """The run's latest."""
        return next(reversed(self.proposals.values()), None)

    def pause(self) -> None:
        """Leave the run to people until a decision queues it again."""
        self.run = replace(self.run, status=RunStatus.AWAITING_CONFIRMATION)

    def hold(self) -> None:
        """Leave the run in the queue until the manual stop is off again."""
        self.run = replace(self.run, status=RunStatus.QUEUED)
        pauses.show_waiting(self.tx, self.run)

    def go_on(self, end: RunStatus | None = None) -> None:
        """All calls have results: hand over what the lead wrote meanwhile, then end, or let it ask again.

        At a limit nothing is handed over: words that this run can't read make a lead of their own.
        """
        if end is not None and self._limit() is not None:
            return self.finish(end)
        if self.keep_limits():
            return None
        if unread := self.tx.runs.unread(self.run):
            words = [{"kind": message.kind, "text": message.text} for message in unread]
            self.add(transcript.data(transcript.FURTHER, words))
        elif end is not None:
            self.finish(end)
        return None

    def keep_limits(self) -> bool:
        """End the run where the next call of the model would be one too many; whether it was ended."""
        if limit := self._limit():
            self.finish(*limit)
        return limit is not None

    def _limit(self) -> tuple[RunStatus, str] | None:
        """The limit that is reached."""
        if self.run.steps >= self.run.limits.max_steps:
            return RunStatus.MAX_STEPS, "the limit of steps is reached"
        if self.run.usage.total >= self.run.limits.max_tokens:
            return RunStatus.BUDGET, "the limit of tokens is reached"
        return None

    def finish(self, status: RunStatus, reason: str | None = None) -> None:
        """End the run, with a result where its agent has results."""
        if self.concluding is None:
            return self._end(status, reason)
        return self.conclude(self.concluding.broke_off(self.run, self.lead, status, self.proposal()))

    def conclude(self, conclusion: Conclusion) -> None:
        """Keep what the run has come to; end it, or leave it to people."""
        for finding in conclusion.findings:
            self.record(Kind.CHECK, finding.name, finding.outcome)
        self.run = replace(self.run, result=conclusion.result, text=conclusion.text)
        if conclusion.status.over:
            return self._end(conclusion.status, conclusion.reason)
        return self.pause()

    def _end(self, status: RunStatus, reason: str | None) -> None:
        """What nobody answered is put before the people, and what they see is kept true."""
        unwritten = self._leave_proposals()
        self.run = replace(self.run, status=status, reason=reason, retry_at=None, finished_at=self.at)
        self.record(Kind.RUN, self.run.agent, status, note=reason)
        if unwritten or self.tx.runs.needs_person(self.run):
            self.tx.alert(self.run.id)

    def _leave_proposals(self) -> bool:
        """At the end: whether the agent left something unwritten that a person had sent back."""
        unwritten = False
        for proposal in list(self.proposals.values()):
            if proposal.state is ProposalState.REVISING:
                self.move(proposal, ProposalState.SUPERSEDED, note=Outdated.NOT_WRITTEN)
                unwritten = True
            elif proposal.state is ProposalState.DENIED and proposal.reason is None:
                self.tx.proposals.touch(proposal)  # nobody is asked for the reason any more
        return unwritten
