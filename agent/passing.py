"""Letting calls pass without a press: by a rule in force, and with an approval in the log like any other.

A rule lets at most one call of a run pass, none while the agent is stopped, none that is decided on one card
with others, and nothing that the company could be held to and does not say itself.  Until the call begins to
leave the rule has to stand, and the lead must not have written again; else it goes back to the people.
"""

from collections.abc import Iterable

from agent.casework import case_for_rules
from agent.journal import Kind
from agent.proposals import Proposal, ProposalState, Verdict
from agent.proposing import promises
from agent.rules import Rule
from agent.runs import Person
from agent.transcript import Call
from agent.turn import Turn


def let_pass(turn: Turn, call: Call) -> None:
    """Approve the proposal of the call, if a rule covers it; it leaves when it cannot be undone any more."""
    proposal = turn.proposals[call.id]
    rule = _rule_for(turn, proposal)
    if rule is None:
        return
    execute_after = turn.at + turn.policy.undo if turn.policy.undo else 0
    _decide(turn, proposal, Verdict.APPROVE, rule.actor, execute_after=execute_after)


def _rule_for(turn: Turn, proposal: Proposal) -> Rule | None:
    in_force = [rule for rule in turn.tx.rules.all() if rule.in_force(turn.at)]
    if not in_force or turn.tx.paused or proposal.batch is not None or proposal.version > 1:
        return None
    earlier = any(item.rule_id is not None for item in turn.proposals.values())
    return None if earlier else next(iter(_letting_pass(turn, proposal, in_force)), None)


def _letting_pass(turn: Turn, proposal: Proposal, rules: Iterable[Rule]) -> list[Rule]:
    policies = turn.policy.policies
    if promises(turn, proposal.text or ""):
        return []
    case = case_for_rules(turn.tx, policies, turn.run, proposal)
    return [rule for rule in rules if case is not None and rule.lets_pass(case, policies, turn.at)]


def still_passes(turn: Turn, proposal: Proposal) -> bool:
    """Whether what a rule approved may begin to leave: it is in force, and all is as it was."""
    rules = [rule for rule in turn.tx.rules.all() if rule.id == proposal.rule_id]
    return not turn.tx.runs.has_unread(turn.run) and bool(_letting_pass(turn, proposal, rules))


def take_back(turn: Turn, proposal: Proposal) -> None:
    """Put what a rule approved before the people; outdated at once where the lead has written again."""
    assert proposal.decided_by is not None
    remind_at = turn.policy.reminding.first(turn.at)
    undone = _decide(turn, proposal, Verdict.UNDO, proposal.decided_by, remind_at=remind_at)
    if turn.tx.runs.has_unread(turn.run):
        turn.move(undone, ProposalState.SUPERSEDED)
    else:
        turn.tx.proposals.repost(undone)


def _decide(
    turn: Turn,
    proposal: Proposal,
    verdict: Verdict,
    actor: Person,
    *,
    execute_after: int = 0,
    remind_at: int | None = None,
) -> Proposal:
    """Have a rule decide, as people do; the proposal as it is then."""
    decided = turn.tx.proposals.decide(
        proposal, verdict, actor, turn.at, execute_after=execute_after, remind_at=remind_at
    )
    assert decided is not None, "the worker has the run"
    turn.proposals[proposal.call_id] = decided
    turn.record(Kind.DECISION, proposal.tool, verdict, proposal=decided, note=str(actor))
    return decided
