"""What people say of proposals, applied: one compare-and-set, its journal record, the run set going."""

from collections.abc import Mapping

from pydantic import ValidationError

from agent import transcript
from agent.casework import requirement_of
from agent.clock import Clock
from agent.journal import Kind, Record
from agent.jsontext import JsonObject
from agent.marks import doubts
from agent.ports import Transaction
from agent.proposals import (
    Correction,
    Decision,
    Outdated,
    Proposal,
    ProposalState,
    Refusal,
    TextFault,
    Verdict,
)
from agent.quorum import Requirement
from agent.results import Concluding
from agent.rulebook import Rulebook
from agent.runs import Person, Run, RunStatus
from agent.turn import Agent, Policy

# Milliseconds after which a press of the same person is a second thought, and no slip of the finger.
SECOND_PRESS_AFTER = 1_000


class Approvals:
    """The people's side of the engine.  Nothing here asks the model or sends anything."""

    def __init__(self, *, agents: Mapping[str, Agent], policy: Policy, rules: Rulebook, clock: Clock) -> None:
        self._agents = agents
        # Where the model is asked again, and so can be told the reason of a denial.
        self._listening = {name for name, agent in agents.items() if not isinstance(agent, Concluding)}
        self._policy = policy
        self._rules = rules
        self._clock = clock

    def decide(self, tx: Transaction, proposal: Proposal, verdict: Verdict, person: Person) -> Decision:
        """Apply a verdict that needs no words.

        What is approved waits `Policy.undo`; what is denied waits `Policy.reason` for a reason, so that the
        model can be told it.
        """
        at, run = self._clock(), tx.runs.get(proposal.run_id)
        refused = self._stale(tx, run, proposal, verdict) or self._not_yet(tx, run, proposal, verdict, person)
        if refused is not None:
            return refused
        leaves = verdict.leads_to is ProposalState.APPROVED and proposal.available
        execute_after = at + self._policy.undo if leaves and self._policy.undo else 0
        remind_at = self._policy.reminding.first(at)
        decided = tx.proposals.decide(
            proposal, verdict, person, at, execute_after=execute_after, remind_at=remind_at
        )
        if decided is None:
            return self._over(tx, proposal, verdict)
        self._record(tx, run, decided, verdict, at=at, note=str(person))
        self._rules.heed(tx, run, proposal, verdict, person)
        match verdict:
            case Verdict.UNDO if tx.runs.has_unread(run):
                decided = self._outdated(tx, run, decided, at)
            case Verdict.DENY:
                waits = self._policy.reason and run.agent in self._listening
                tx.runs.queue(run.id, not_before=at + self._policy.reason if waits else 0)
            case Verdict.DELIVERED | Verdict.NOT_REACHED:
                pass  # the run has gone on since
            case _ if not execute_after and verdict is not Verdict.UNDO:
                tx.runs.queue(run.id)
        return Decision(verdict=verdict, proposal=decided, waits=tx.paused is not None)

    def _not_yet(
        self, tx: Transaction, run: Run, proposal: Proposal, verdict: Verdict, person: Person
    ) -> Decision | None:
        """Why this person's approval is not enough, if so: it is not theirs to give, or more is needed."""
        if verdict.leads_to is not ProposalState.APPROVED:
            return None
        at, editor = self._clock(), proposal.edited_by
        needed = self._requirement(tx, run, proposal)
        if not needed.allows(person, self._policy.admins):
            return Decision(verdict=verdict, proposal=proposal, refusal=Refusal.NOT_ALLOWED)
        doubtful = doubts(proposal.marks) and needed.second_press and verdict is Verdict.APPROVE
        if doubtful and not tx.proposals.warned(proposal, person, at - SECOND_PRESS_AFTER):
            tx.proposals.warn(proposal, person, at)
            return Decision(verdict=verdict, proposal=proposal, refusal=Refusal.MARKED)
        approved = proposal.votes
        missing = needed.missing([*approved, person], editor)
        if not missing:
            return None
        if person.id in {voter.id for voter in approved}:
            return Decision(verdict=verdict, proposal=proposal, refusal=Refusal.VOTED, missing=missing)
        voted = tx.proposals.vote(proposal, person, at) or tx.proposals.get(proposal.id)
        self._record(tx, run, voted, "vote", at=at, note=str(person))
        return Decision(verdict=verdict, proposal=voted, missing=missing)

    def _requirement(self, tx: Transaction, run: Run, proposal: Proposal) -> Requirement:
        """By the policy as it is now: one that became stricter holds for what waits already."""
        return requirement_of(
            self._policy.policies,
            tx,
            run,
            proposal.tool,
            proposal.arguments,
            marks=len(doubts(proposal.marks)),
        )

    def edit(self, tx: Transaction, proposal: Proposal, text: str, person: Person) -> Decision:
        """Put a person's own text in the place of the proposed one: the next version, to be approved anew.

        It is held to the bounds of the tool like the model's own words.
        """
        at, run = self._clock(), tx.runs.get(proposal.run_id)
        try:
            arguments = self._rewritten(run, proposal, text)
        except ValidationError as error:
            return _refused(proposal, error)
        if (stale := self._stale(tx, run, proposal, Correction.EDIT)) is not None:
            return stale
        expires_at = at + self._policy.approval_ttl
        needed = requirement_of(self._policy.policies, tx, run, proposal.tool, arguments, marks=0)
        revised = proposal.revised(
            arguments,
            by=person,
            call_id=proposal.call_id,
            at=at,
            expires_at=expires_at,
            remind_at=self._policy.reminding.first(at),
            quorum=needed.quorum,
        )
        if (edited := tx.proposals.revise(proposal, revised, at)) is None:
            return self._over(tx, proposal, Correction.EDIT)
        self._record(tx, run, edited, Correction.EDIT, at=at, note=str(person), input=arguments)
        self._rules.heed(tx, run, proposal, Correction.EDIT, person)
        return Decision(verdict=Correction.EDIT, proposal=edited)

    def _rewritten(self, run: Run, proposal: Proposal, text: str) -> JsonObject:
        """The arguments with another text; ValidationError where the tool would refuse it."""
        tool = self._agents[run.agent].tools[proposal.tool]
        return tool.arguments.parse({**proposal.arguments, "text": text}).as_json()

    def rewrite(self, tx: Transaction, proposal: Proposal, remark: str, person: Person) -> Decision:
        """Have the agent write it again as the remark says; its next text is the next version."""
        at, run = self._clock(), tx.runs.get(proposal.run_id)
        if (stale := self._stale(tx, run, proposal, Correction.REWRITE)) is not None:
            return stale
        if (sent_back := tx.proposals.send_back(proposal, remark, person, at)) is None:
            return self._over(tx, proposal, Correction.REWRITE)
        note = f"{person}: {remark}"
        self._record(tx, run, sent_back, Correction.REWRITE, at=at, note=note)
        self._rules.heed(tx, run, proposal, Correction.REWRITE, person)
        tx.runs.queue(run.id)
        return Decision(verdict=Correction.REWRITE, proposal=sent_back)

    def give_reason(self, tx: Transaction, proposal: Proposal, reason: str, person: Person) -> Decision:
        """Say why a proposal was denied; the run goes on at once.  The first reason stands.

        A run that has gone on since is not told any more: its call has a result already.
        """
        at, run = self._clock(), tx.runs.get(proposal.run_id)
        if (stale := self._stale(tx, run, proposal, Correction.REASON)) is not None:
            return stale
        if (told := tx.proposals.give_reason(proposal, reason, person, at)) is None:
            return self._over(tx, proposal, Correction.REASON)
        self._record(tx, run, told, Correction.REASON, at=at, note=f"{person}: {reason}")
        tx.runs.queue(run.id)
        waiting = transcript.open_calls(transcript.merge(tx.runs.transcript(run)))
        heard = any(call.id == told.call_id for call in waiting)
        return Decision(verdict=Correction.REASON, proposal=told, heard=heard)

    def supersede(self, tx: Transaction, run: Run) -> int:
        """The lead wrote again: what no person has approved in `run` is outdated; how many that were.

        The run itself goes on when the lead has finished writing.
        """
        at = self._clock()
        proposals = (self._without_rule(tx, run, item, at) for item in tx.proposals.of_run(run.id))
        waiting = [item for item in proposals if item.state in _UNDECIDED]
        return len([self._supersede(tx, run, proposal, at) for proposal in waiting])

    def _without_rule(self, tx: Transaction, run: Run, proposal: Proposal, at: int) -> Proposal:
        """As it is without the approval of a rule, which looked at no words but those before."""
        actor = proposal.decided_by
        if proposal.rule_id is None or proposal.state is not ProposalState.APPROVED or actor is None:
            return proposal
        undone = tx.proposals.decide(proposal, Verdict.UNDO, actor, at)
        if undone is None:
            return proposal
        self._record(tx, run, undone, Verdict.UNDO, at=at, note=str(actor))
        return undone

    def take_over(self, tx: Transaction, run: Run, person: Person) -> bool:
        """End the agent's work on an open run, for a person answers instead; False while a reply is leaving.

        Nothing that waited can be approved any more; what is uncertain is still to be settled.
        """
        at, proposals = self._clock(), tx.proposals.of_run(run.id)
        if any(item.state is ProposalState.EXECUTING for item in proposals):
            return False
        for proposal in proposals:
            undone = proposal
            if proposal.state is ProposalState.APPROVED:
                undone = tx.proposals.decide(proposal, Verdict.UNDO, person, at) or proposal
                self._rules.heed(tx, run, proposal, Verdict.UNDO, person)
            if undone.state in _UNDECIDED:
                self._supersede(tx, run, undone, at, note=Outdated.TAKEN_OVER)
        tx.runs.cancel(run, Outdated.TAKEN_OVER, at)
        note = f"{person} answers instead"
        tx.record(run.id, Record.of_run(run, RunStatus.CANCELLED, at, note=note))
        tx.alert(run.id)
        return True

    def _supersede(
        self, tx: Transaction, run: Run, proposal: Proposal, at: int, *, note: str | None = None
    ) -> Proposal | None:
        outdated = tx.proposals.move(proposal, ProposalState.SUPERSEDED, at, note=note)
        if outdated is not None:
            self._record(tx, run, outdated, ProposalState.SUPERSEDED, at=at)
        return outdated

    def _outdated(self, tx: Transaction, run: Run, proposal: Proposal, at: int) -> Proposal:
        """The proposal after words of the lead that nobody has read yet; the run goes on with them."""
        outdated = self._supersede(tx, run, proposal, at) or tx.proposals.get(proposal.id)
        tx.runs.queue(run.id)
        return outdated

    def expire(self, tx: Transaction) -> int:
        """End every pending proposal whose time is over, never as an approval; how many there were."""
        at = self._clock()
        return len([self._expire(tx, proposal, at) for proposal in tx.proposals.overdue(at)])

    def _expire(self, tx: Transaction, proposal: Proposal, at: int) -> Proposal | None:
        expired = tx.proposals.move(proposal, ProposalState.EXPIRED, at)
        if expired is not None:
            run = tx.runs.get(expired.run_id)
            self._record(tx, run, expired, ProposalState.EXPIRED, at=at)
            tx.runs.queue(run.id)
        return expired

    def _stale(
        self, tx: Transaction, run: Run, proposal: Proposal, verdict: Verdict | Correction
    ) -> Decision | None:
        """The refusal of what comes too late: after the time, another decision, the lead's words."""
        at, pending = self._clock(), proposal.state is ProposalState.PENDING
        if pending and proposal.expires_at <= at:
            expired = self._expire(tx, proposal, at) or tx.proposals.get(proposal.id)
            return Decision(verdict=verdict, proposal=expired, refusal=Refusal.EXPIRED)
        if pending and verdict is not Verdict.DENY and tx.runs.has_unread(run):
            outdated = self._outdated(tx, run, proposal, at)
            return Decision(verdict=verdict, proposal=outdated, refusal=Refusal.OUTDATED)
        nobody_sends = run.status.over and verdict in _FOR_THE_AGENT
        fits = proposal.state is verdict.applies_to and not nobody_sends
        return None if fits else self._over(tx, proposal, verdict)

    @staticmethod
    def _over(tx: Transaction, proposal: Proposal, verdict: Verdict | Correction) -> Decision:
        """The refusal of a verdict on what has changed since."""
        current = tx.proposals.get(proposal.id)
        return Decision(verdict=verdict, proposal=current, refusal=Refusal.ALREADY_DECIDED)

    def _record(
        self,
        tx: Transaction,
        run: Run,
        proposal: Proposal,
        outcome: str,
        *,
        at: int,
        note: str | None = None,
        input: JsonObject | None = None,
    ) -> None:
        entry = Record(
            step=run.steps,
            kind=Kind.DECISION,
            name=proposal.tool,
            outcome=outcome,
            ms=at - proposal.created_at,
            input=input,
            proposal_id=proposal.proposal_id,
            note=note,
            at=at,
            run_id=run.run_id,
        )
        tx.record(run.id, entry)


def _refused(proposal: Proposal, error: ValidationError) -> Decision:
    """The first fault that the tool finds in a person's text."""
    found = error.errors(include_url=False)[0]
    named = found["type"] in set(TextFault)
    fault = TextFault(found["type"]) if named else TextFault.OTHER
    bounds = found.get("ctx", {})
    return Decision(
        verdict=Correction.EDIT,
        proposal=proposal,
        refusal=Refusal.INVALID,
        fault=fault,
        bound=bounds.get("min_length", bounds.get("max_length")),
    )


# What needs a run that goes on.
_FOR_THE_AGENT = (Verdict.APPROVE, Verdict.SEND_AGAIN, Correction.EDIT, Correction.REWRITE)
_UNDECIDED = (ProposalState.PENDING, ProposalState.REVISING)
