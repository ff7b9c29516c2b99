"""The company's rules: what people do with calls earns or suspends them, admins let them begin and end."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time

from agent.casework import case_for_rules
from agent.clock import Clock
from agent.conditions import Condition
from agent.policies import WrittenRule
from agent.ports import Transaction
from agent.proposals import Correction, Proposal, Verdict
from agent.rules import (
    Outcome,
    Past,
    Rule,
    RuleRefusal,
    RuleState,
    RuleVerdict,
    earned,
    replay,
)
from agent.runs import Person, Run
from agent.turn import Policy

# So many of the latest things that people did are looked back at when a rule is proposed.
LOOKED_BACK = 10_000

_OUTCOMES: dict[Verdict | Correction, Outcome] = {
    Verdict.APPROVE: Outcome.APPROVED,
    Verdict.DENY: Outcome.DENIED,
    Verdict.UNDO: Outcome.UNDONE,
    Correction.EDIT: Outcome.EDITED,
    Correction.REWRITE: Outcome.EDITED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleAnswer:
    """What became of an admin's word: the rule as it is now, and the refusal if that changed nothing."""

    verdict: RuleVerdict
    rule: Rule | None
    refusal: RuleRefusal | None = None


class Rulebook:
    """Nothing here sends anything; see agent.passing for how a rule lets a call pass."""

    def __init__(self, *, policy: Policy, clock: Clock) -> None:
        self._policy = policy
        self._terms = policy.policies.rules
        self._clock = clock

    def heed(
        self, tx: Transaction, run: Run, proposal: Proposal, verdict: Verdict | Correction, person: Person
    ) -> None:
        """Learn from what a person did with a proposal, which is given as it was before.

        Only the first text counts: what came after it was changed already.  What a rule let pass is its own
        whatever is known of the lead, or said by the policy, since.
        """
        outcome = _OUTCOMES.get(verdict)
        if outcome is None or proposal.version > 1:
            return
        case, at = case_for_rules(tx, self._policy.policies, run, proposal), self._clock()
        for rule in tx.rules.all():
            own = rule.id == proposal.rule_id or (case is not None and rule.covers(case))
            if own and (broken := rule.broken(outcome, proposal.id, at, person)) is not None:
                tx.rules.change(broken)
        if case is None:
            return
        past = Past(proposal_id=proposal.id, case=case, outcome=outcome, at=at)
        tx.rules.add_past(past)
        if outcome is Outcome.APPROVED:
            self._propose_earned(tx, past)

    def _propose_earned(self, tx: Transaction, past: Past) -> None:
        least = self._terms.propose_after
        latest = tx.rules.latest(past.case, least)
        if conditions := earned(past.case, latest, tx.rules.all(), least):
            self._propose(tx, past.case.tool, conditions, support=least)

    def _propose(
        self,
        tx: Transaction,
        tool: str,
        conditions: Sequence[Condition],
        *,
        support: int = 0,
        written: bool = False,
        until: int | None = None,
    ) -> None:
        at = self._clock()
        rule = Rule(
            id=0,
            tool=tool,
            conditions=tuple(conditions),
            written=written,
            support=support,
            replayed=replay(tool, conditions, tx.rules.history(tool, LOOKED_BACK)),
            created_at=at,
            changed_at=at,
            until=until,
        )
        tx.rules.add(rule)

    def decide(self, tx: Transaction, token: str, verdict: RuleVerdict, person: Person) -> RuleAnswer:
        """Apply the word of an admin on the rule whose card carries the token; nobody else's counts."""
        rule = tx.rules.by_token(token)
        if not self._policy.admins:
            return RuleAnswer(verdict=verdict, rule=rule, refusal=RuleRefusal.NO_ADMINS)
        if person.id not in self._policy.admins:
            return RuleAnswer(verdict=verdict, rule=rule, refusal=RuleRefusal.NOT_ADMIN)
        answered = rule and rule.answered(verdict, person, self._clock(), days=self._terms.valid_days)
        if answered is None:
            return RuleAnswer(verdict=verdict, rule=rule, refusal=RuleRefusal.OUTDATED)
        tx.rules.change(answered)
        return RuleAnswer(verdict=verdict, rule=answered)

    def end_overdue(self, tx: Transaction) -> None:
        """End every rule whose date has come."""
        at = self._clock()
        for rule in tx.rules.all():
            if not rule.state.over and rule.is_over(at):
                tx.rules.change(rule.ended(at))

    def read_policy(self, tx: Transaction) -> None:
        """At start: propose what was written into the policy file since, and end what was taken out of it.

        What an admin declined or ended is not proposed again while the file says the same.  A rule whose
        owner is no admin any more is suspended until another one lets it go on.
        """
        at, known = self._clock(), [rule for rule in tx.rules.all() if rule.written]
        written = self._policy.policies.rule
        for rule in known:
            if not rule.state.over and not any(_is(rule, item) for item in written):
                tx.rules.change(rule.ended(at))
        for rule in tx.rules.all():
            owned = rule.owner is not None and rule.owner.id in self._policy.admins
            if rule.state is RuleState.ACTIVE and not owned:
                tx.rules.change(rule.orphaned(at))
            elif rule.state is RuleState.PROPOSED:
                tx.rules.touch(rule)
        for item in written:
            until = _until(item)
            stands = any(_is(rule, item) and not _ended_by_itself(rule) for rule in known)
            if not stands and (until is None or until > at):
                self._propose(tx, item.tool, item.when, written=True, until=until)


def _is(rule: Rule, item: WrittenRule) -> bool:
    """Whether the rule is the one that the file names so; its date is fixed only if the file says one."""
    until = _until(item)
    return (rule.tool, rule.conditions) == (item.tool, item.when) and (until is None or rule.until == until)


def _until(item: WrittenRule) -> int | None:
    """The beginning of that day, UTC, in ms."""
    if item.until is None:
        return None
    return int(datetime.combine(item.until, time.min, UTC).timestamp() * 1000)


def _ended_by_itself(rule: Rule) -> bool:
    """By its date, or since the file did not name it any more."""
    return rule.state is RuleState.ENDED and rule.changed_by is None
