"""Who has to approve what: rules on tools, their arguments and the lead, as data that people write down."""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from agent.jsontext import JsonObject, dumps
from agent.quorum import Requirement, Role

_NUMBER = re.compile(r"\d[\d\s\u00a0\u202f]*(?:[.,]\d+)?")
MOST_PEOPLE = 20


class LeadField(StrEnum):
    """What a condition can ask of the lead of a call."""

    SOURCE = "source"
    LANGUAGE = "language"
    RETURNING = "returning"
    SERVICE = "service"


class Record(BaseModel):
    """Base of what stands in the policy: unknown names are refused, nothing changes afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Case(Record):
    """One call that somebody has to decide on, as conditions see it.

    language: of the lead's words (ru, kk, en), None without any.  returning: whether the company knew the
    contact before this lead.  services: of the deals that the run has made.  marks: how many words of the
    draft no source says.
    """

    tool: str
    arguments: JsonObject
    source: str = ""
    language: str | None = None
    returning: bool = False
    services: tuple[str, ...] = ()
    marks: int = 0

    def of_lead(self, field: LeadField) -> tuple[str, ...]:
        """The values of a field, as words."""
        match field:
            case LeadField.SOURCE:
                return (self.source,)
            case LeadField.LANGUAGE:
                return (self.language or "",)
            case LeadField.RETURNING:
                return ("true" if self.returning else "false",)
            case LeadField.SERVICE:
                return self.services


class Condition(Record):
    """What has to hold of an argument, of the lead, or of the draft's marks; all that is named has to.

    above and below are compared with the largest number in the value.
    """

    argument: str | None = None
    lead: LeadField | None = None
    marked: bool | None = None
    equals: str | int | float | bool | None = None
    one_of: tuple[str, ...] | None = None
    contains: str | None = None
    longer_than: Annotated[int, Field(ge=0)] | None = None
    above: float | None = None
    below: float | None = None

    @model_validator(mode="after")
    def _asks_something(self) -> Self:
        tests = (self.equals, self.one_of, self.contains, self.longer_than, self.above, self.below)
        named = [part for part in (self.argument, self.lead) if part is not None]
        if len(named) > 1:
            raise ValueError("name an argument or a field of the lead, not both")
        if named and all(test is None for test in tests):
            raise ValueError("say what has to hold: equals, one_of, contains, longer_than, above or below")
        if not named and (self.marked is None or any(test is not None for test in tests)):
            raise ValueError('say of what: argument = "text", lead = "source", or marked = true')
        return self

    def holds(self, case: Case) -> bool:
        """Whether it is so.  Of an argument that is not there nothing holds."""
        if self.marked is not None and self.marked is not (case.marks > 0):
            return False
        if self.argument is None and self.lead is None:
            return True
        return any(self._fits(value) for value in self._values(case))

    def _values(self, case: Case) -> tuple[str, ...]:
        if self.lead is not None:
            return case.of_lead(self.lead)
        if self.argument not in case.arguments:
            return ()
        return (_word(case.arguments[self.argument]),)

    def _fits(self, value: str) -> bool:
        folded, number = value.casefold(), _largest(value)
        return (
            (self.equals is None or folded == _word(self.equals).casefold())
            and (self.one_of is None or folded in {word.casefold() for word in self.one_of})
            and (self.contains is None or self.contains.casefold() in folded)
            and (self.longer_than is None or len(value) > self.longer_than)
            and (self.above is None or (number is not None and number > self.above))
            and (self.below is None or (number is not None and number < self.below))
        )


def _word(value: object) -> str:
    """A value as conditions are written: true, 5, text."""
    return value if isinstance(value, str) else dumps(value)


def _largest(value: str) -> float | None:
    """The largest number in a text: 1 500 000, 1500000.5 or 1,5."""
    found = [_number(match[0]) for match in _NUMBER.finditer(value[:10_000])]
    return max(found, default=None)


def _number(text: str) -> float:
    return float(re.sub(r"\s", "", text).replace(",", ".")[:30])


class Bounds(Record):
    """What an approval takes, as far as it is named."""

    approvers: Role | tuple[int, ...] | None = None
    quorum: Annotated[int, Field(ge=1, le=MOST_PEOPLE)] | None = None
    editor_may_approve_alone: bool | None = None
    second_press: bool | None = None


class When(Condition, Bounds):
    """For calls of which the condition holds: more than the tool itself asks for."""


class ToolPolicy(Bounds):
    """What the calls of one tool take."""

    irreversible: bool = True
    when: tuple[When, ...] = ()


class Policies(Record):
    """All that a company decides about approvals.

    facts: what the company says of itself, so that it is no news in a draft.  irreversible_quorum: how many
    approve what cannot be undone, and second_press: whether what no source says is approved twice, where its
    tool says nothing else.
    """

    facts: tuple[str, ...] = ()
    irreversible_quorum: Annotated[int, Field(ge=1, le=MOST_PEOPLE)] = 1
    second_press: bool = True
    tools: Mapping[str, ToolPolicy] = Field(default_factory=dict)

    @classmethod
    def at_once(cls) -> Self:
        """For evaluations and replays, where nobody looks twice: marks take no second press."""
        return cls(second_press=False)

    def tool(self, name: str) -> ToolPolicy:
        return self.tools.get(name, ToolPolicy())

    def requirement(self, case: Case) -> Requirement:
        """What this call takes: the strictest of all that applies to it."""
        policy = self.tool(case.tool)
        default = self.irreversible_quorum if policy.irreversible else 1
        found: list[Bounds] = [policy, *(when for when in policy.when if when.holds(case))]
        quorums = [bounds.quorum for bounds in found if bounds.quorum is not None]
        return Requirement(
            approvers=_strictest([bounds.approvers for bounds in found]),
            quorum=max(quorums, default=default),
            editor_may_approve_alone=all(bounds.editor_may_approve_alone is not False for bounds in found),
            second_press=any(bounds.second_press for bounds in found)
            or (self.second_press and all(bounds.second_press is None for bounds in found)),
        )

    def bounds(self) -> list[Bounds]:
        """Everything that asks for people."""
        return [one for policy in self.tools.values() for one in (policy, *policy.when)]


def _strictest(wanted: list[Role | tuple[int, ...] | None]) -> Role | frozenset[int]:
    """Those who may approve by every rule; nobody where rules exclude each other."""
    named = [frozenset(people) for people in wanted if isinstance(people, tuple)]
    if named:
        return frozenset.intersection(*named)
    return Role.ADMINS if Role.ADMINS in wanted else Role.OPERATORS
