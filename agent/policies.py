"""Who has to approve what: rules on tools, their arguments and the lead, as data that people write down."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Annotated, Self

from pydantic import Field, model_validator

from agent.conditions import Case, Condition, Data
from agent.quorum import Requirement, Role

MOST_PEOPLE = 20


class Bounds(Data):
    """What an approval takes, as far as it is named.  approvers: a role, or user ids."""

    approvers: Role | Annotated[tuple[int, ...], Field(min_length=1)] | None = None
    quorum: Annotated[int, Field(ge=1, le=MOST_PEOPLE)] | None = None
    editor_may_approve_alone: bool | None = None
    second_press: bool | None = None


class When(Condition, Bounds):
    """For calls of which the condition holds: more than the tool itself asks for."""

    @model_validator(mode="after")
    def _takes_something(self) -> Self:
        if all(getattr(self, name) is None for name in Bounds.model_fields):
            raise ValueError("say what it takes: approvers, quorum, editor_may_approve_alone or second_press")
        return self


class ToolPolicy(Bounds):
    """What the calls of one tool take."""

    irreversible: bool = True
    when: tuple[When, ...] = ()


class RulesPolicy(Data):
    """Whether calls may leave by rules, without a press.

    allowed: False ends that for all of them at once.  propose_after: how many approvals in a row, nothing
    edited, earn a rule (0: none is ever proposed); valid_days: how long one holds that has no end date.
    """

    allowed: bool = True
    propose_after: Annotated[int, Field(ge=0, le=10_000)] = 20
    valid_days: Annotated[int, Field(ge=1, le=365)] = 90


class WrittenRule(Data):
    """A rule as people write it down; it begins when an admin accepts it.  until: its first day no more."""

    tool: str
    when: Annotated[tuple[Condition, ...], Field(min_length=1, max_length=10)]
    until: date | None = None

    @model_validator(mode="after")
    def _names_calls(self) -> Self:
        if any(condition.marked is not None for condition in self.when):
            raise ValueError("what is marked never leaves by a rule; name arguments or the lead")
        return self


class Policies(Data):
    """All that a company decides about approvals.

    facts: what the company says of itself, so that it is no news in a draft.  irreversible_quorum: how many
    approve what cannot be undone, and second_press: whether what no source says is approved twice, where its
    tool says nothing else.
    """

    facts: tuple[str, ...] = ()
    irreversible_quorum: Annotated[int, Field(ge=1, le=MOST_PEOPLE)] = 1
    second_press: bool = True
    tools: Mapping[str, ToolPolicy] = Field(default_factory=dict)
    rules: RulesPolicy = RulesPolicy()
    rule: tuple[WrittenRule, ...] = ()

    @classmethod
    def at_once(cls) -> Self:
        """For evaluations and replays: marks take no second press, for nobody looks twice; no rule holds."""
        return cls(second_press=False, rules=RulesPolicy(allowed=False))

    def tool(self, name: str) -> ToolPolicy:
        return self.tools.get(name, ToolPolicy())

    def requirement(self, case: Case) -> Requirement:
        """What this call takes: the strictest of all that applies to it."""
        policy = self.tool(case.tool)
        return self._taken(policy, [when for when in policy.when if when.holds(case)])

    def may_have_rules(self, tool: str) -> bool:
        """Whether calls of the tool could leave by a rule: only where the file says it can be put right."""
        return self.rules.allowed and not self.tool(tool).irreversible

    def lets_rules_pass(self, case: Case) -> bool:
        """Whether a rule may let the call pass: any one operator could approve it, with one press."""
        return self.may_have_rules(case.tool) and not case.marks and self.requirement(case).is_ordinary

    def requirements(self) -> Iterator[tuple[str, Requirement]]:
        """All that calls may take, each with its place in the file."""
        yield "irreversible_quorum", self._taken(ToolPolicy(), [])
        for name, policy in self.tools.items():
            yield f"tools.{name}", self._taken(policy, [])
            for number, when in enumerate(policy.when):
                yield f"tools.{name}.when[{number}]", self._taken(policy, [when])

    def _taken(self, policy: ToolPolicy, rows: Sequence[Bounds]) -> Requirement:
        """By the tool and the rows for such a call, which only ever ask for more."""
        all_of_them: list[Bounds] = [policy, *rows]
        quorum = policy.quorum or (self.irreversible_quorum if policy.irreversible else 1)
        twice = self.second_press if policy.second_press is None else policy.second_press
        roles = {bounds.approvers for bounds in all_of_them}
        people = [frozenset(who) for who in roles if isinstance(who, tuple)]
        return Requirement(
            role=Role.ADMINS if Role.ADMINS in roles else Role.OPERATORS,
            people=frozenset.intersection(*people) if people else None,
            quorum=max([quorum, *(row.quorum or 1 for row in rows)]),
            editor_may_approve_alone=all(row.editor_may_approve_alone is not False for row in all_of_them),
            second_press=twice or any(row.second_press for row in rows),
        )
