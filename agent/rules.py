"""Rules: which calls may leave without a press, because people approved such calls again and again.

    proposed ──> active <──> suspended
      │    │        │            │
      │    └────────┴────────────┴──> ended
      └──> declined

A rule is earned by approvals, or written in the policy file; both are proposed, and begin when an admin
accepts them.  One edit, undoing or denial of a call that a rule covers suspends it.  A rule only ever lets
pass what any one operator could have approved with one press: see `Policies.lets_rules_pass`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from agent.conditions import NO, UNKNOWN, YES, Case, Condition, LeadField
from agent.policies import Policies
from agent.proposals import new_token
from agent.runs import Person

DAY = 86_400_000


class Outcome(StrEnum):
    """What people did with a call as it was proposed, the worst last."""

    APPROVED = "approved"
    EDITED = "edited"
    UNDONE = "undone"
    DENIED = "denied"


_WORSE = {outcome: number for number, outcome in enumerate(Outcome)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """One thing that a person did with a call that a rule could have let pass; at: when, in ms."""

    proposal_id: int
    case: Case
    outcome: Outcome
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """How many past calls a rule would have sent, by the worst that people did with each."""

    approved: int = 0
    edited: int = 0
    undone: int = 0
    denied: int = 0

    @property
    def sent(self) -> int:
        return self.approved + self.edited + self.undone + self.denied


class RuleState(StrEnum):
    """See the drawing above."""

    PROPOSED = "proposed"
    ACTIVE = "active"
    SUSPENDED = "suspended"
    DECLINED = "declined"
    ENDED = "ended"

    @property
    def over(self) -> bool:
        return self in (RuleState.DECLINED, RuleState.ENDED)


_NEXT: dict[RuleState, frozenset[RuleState]] = {
    RuleState.PROPOSED: frozenset({RuleState.ACTIVE, RuleState.DECLINED, RuleState.ENDED}),
    RuleState.ACTIVE: frozenset({RuleState.SUSPENDED, RuleState.ENDED}),
    RuleState.SUSPENDED: frozenset({RuleState.ACTIVE, RuleState.ENDED}),
    RuleState.DECLINED: frozenset(),
    RuleState.ENDED: frozenset(),
}


def legal(before: RuleState, after: RuleState) -> bool:
    """Whether the drawing has an arrow from `before` to `after`."""
    return after in _NEXT[before]


class RuleVerdict(StrEnum):
    """What an admin can say of a rule."""

    ACCEPT = "accept"
    DECLINE = "decline"
    RESUME = "resume"
    END = "end"

    @property
    def applies_to(self) -> frozenset[RuleState]:
        return _APPLIES[self]

    @property
    def leads_to(self) -> RuleState:
        return _LEADS[self]


_APPLIES = {
    RuleVerdict.ACCEPT: frozenset({RuleState.PROPOSED}),
    RuleVerdict.DECLINE: frozenset({RuleState.PROPOSED}),
    RuleVerdict.RESUME: frozenset({RuleState.SUSPENDED}),
    RuleVerdict.END: frozenset({RuleState.ACTIVE, RuleState.SUSPENDED}),
}
_LEADS = {
    RuleVerdict.ACCEPT: RuleState.ACTIVE,
    RuleVerdict.DECLINE: RuleState.DECLINED,
    RuleVerdict.RESUME: RuleState.ACTIVE,
    RuleVerdict.END: RuleState.ENDED,
}


def covers(tool: str, conditions: Sequence[Condition], case: Case) -> bool:
    """Whether it is such a call: all conditions hold, of every value that they ask of; never a marked one."""
    return (
        case.tool == tool
        and not case.marks
        and bool(conditions)
        and all(condition.holds_throughout(case) for condition in conditions)
    )


def replay(tool: str, conditions: Sequence[Condition], history: Iterable[Past]) -> Replay:
    """What such a rule would have sent of the history."""
    worst: dict[int, Outcome] = {}
    for past in history:
        if covers(tool, conditions, past.case):
            known = worst.get(past.proposal_id, past.outcome)
            worst[past.proposal_id] = max(known, past.outcome, key=_WORSE.__getitem__)
    found = list(worst.values())
    return Replay(**{outcome.value: found.count(outcome) for outcome in Outcome})


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Calls of `tool` of which all `conditions` hold may leave without a press while it is active.

    written: it stands in the policy file; else it was earned by `support` approvals in a row.  replayed: what
    it would have sent before it was proposed.  until: when it ends (ms), None while that is not known.
    owner: the admin who let it begin, or go on, last.  changed_at, changed_by: when it came to its state, and
    by whom; None where its date, the policy file or the list of admins did it.  broken_on, broken_by: the
    proposal that suspended it, or took it back before it began, and what was done with that.  changes: counts
    its states, from 0.
    """

    id: int
    tool: str
    conditions: tuple[Condition, ...]
    written: bool
    support: int
    replayed: Replay
    created_at: int
    changed_at: int
    token: str = field(default_factory=new_token, repr=False)
    state: RuleState = RuleState.PROPOSED
    changes: int = 0
    until: int | None = None
    owner: Person | None = None
    changed_by: Person | None = None
    broken_on: int | None = None
    broken_by: Outcome | None = None

    @property
    def rule_id(self) -> str:
        return f"rule-{self.id}"

    @property
    def actor(self) -> Person:
        """Who approves by it: no user of Telegram has a negative number."""
        owner = self.owner.name if self.owner else "nobody"
        return Person(id=-self.id, name=f"{self.rule_id} (owner {owner})")

    def covers(self, case: Case) -> bool:
        return covers(self.tool, self.conditions, case)

    def lets_pass(self, case: Case, policies: Policies, at: int) -> bool:
        """Whether the call may leave without a press at the time `at` (ms)."""
        return self.in_force(at) and self.covers(case) and policies.lets_rules_pass(case)

    def in_force(self, at: int) -> bool:
        return self.state is RuleState.ACTIVE and self.owner is not None and not self.is_over(at)

    def is_over(self, at: int) -> bool:
        """Whether its end date has come by then (ms)."""
        return self.until is not None and self.until <= at

    def answered(self, verdict: RuleVerdict, admin: Person, at: int, *, days: int) -> "Rule | None":
        """As it is after an admin's word; None where that says nothing of such a rule.

        days: how long it holds from now on, where it is accepted and has no end date yet.
        """
        if self.state not in verdict.applies_to or (
            verdict.leads_to is RuleState.ACTIVE and self.is_over(at)
        ):
            return None
        begins = verdict.leads_to is RuleState.ACTIVE
        return replace(
            self._moved(verdict.leads_to, at, by=admin),
            owner=admin if begins else self.owner,
            until=(self.until or at + days * DAY) if begins else self.until,
        )

    def broken(self, outcome: Outcome, proposal_id: int, at: int, by: Person) -> "Rule | None":
        """After people did something else with a call that is its own; None where that changes nothing.

        What was earned and not accepted yet is no longer borne out; what was written is for an admin to say.
        """
        if outcome is Outcome.APPROVED:
            return None
        withdrawn = self.state is RuleState.PROPOSED and not self.written
        if self.state is not RuleState.ACTIVE and not withdrawn:
            return None
        moved = self._moved(RuleState.ENDED if withdrawn else RuleState.SUSPENDED, at, by=by)
        return replace(moved, broken_on=proposal_id, broken_by=outcome)

    def orphaned(self, at: int) -> "Rule":
        """Suspended, for its owner is no admin any more."""
        return self._moved(RuleState.SUSPENDED, at, by=None)

    def ended(self, at: int) -> "Rule":
        """By its date, or because the policy file names it no longer."""
        return self._moved(RuleState.ENDED, at, by=None)

    def _moved(self, after: RuleState, at: int, *, by: Person | None) -> "Rule":
        assert legal(self.state, after), f"{self.state} -> {after}"
        return replace(
            self,
            state=after,
            token=new_token(),
            changes=self.changes + 1,
            changed_at=at,
            changed_by=by,
            broken_on=None,
            broken_by=None,
        )


class RuleRefusal(StrEnum):
    """Why a word about a rule changed nothing."""

    NO_ADMINS = "no_admins"
    NOT_ADMIN = "not_admin"
    OUTDATED = "outdated"


def earned(case: Case, latest: Sequence[Past], rules: Sequence[Rule], least: int) -> tuple[Condition, ...]:
    """The conditions of the rule that the call just approved earns; none if it earns none.

    latest: what people did with such calls, newest first, the last `least` for leads of this kind among it.
    rules: all there ever were.  Only approvals in a row count, and only those since a rule for such calls
    ended.  Nothing is proposed while another earned rule waits for an answer, and nothing for calls that a
    rule covers already or somebody said no to.
    """
    known, conditions = [rule for rule in rules if rule.covers(case)], kind_of(case)
    waiting = any(rule.state is RuleState.PROPOSED and not rule.written for rule in rules)
    if not least or waiting or any(rule.state is not RuleState.ENDED for rule in known):
        return ()
    since = max((rule.changed_at for rule in known), default=0)
    alike = [past for past in latest if covers(case.tool, conditions, past.case)][:least]
    row = [past for past in alike if past.outcome is Outcome.APPROVED and past.at > since]
    return conditions if len(row) == least else ()


def kind_of(case: Case) -> tuple[Condition, ...]:
    """All that a rule can ask of a lead, as it is in this call; none for several services at once.

    A rule that is earned asks for exactly the kind of lead that was approved so often, and nothing wider.
    """
    if len(set(case.services)) > 1:
        return ()
    service = case.services[0] if case.services else UNKNOWN
    return (
        Condition(lead=LeadField.SOURCE, equals=case.source),
        Condition(lead=LeadField.LANGUAGE, equals=case.language or UNKNOWN),
        Condition(lead=LeadField.RETURNING, equals=YES if case.returning else NO),
        Condition(lead=LeadField.SERVICE, equals=service),
    )
