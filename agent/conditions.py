"""Conditions on calls: what a company's policy and its rules ask of an argument, of the lead, of the draft.

They are data: written down in TOML, stored as JSON, shown in words.  There are no patterns in them, so that
none is slow, and whoever reads one knows what it means.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from agent.deals import Service
from agent.grounding.figures import largest_figure
from agent.jsontext import JsonObject, dumps
from agent.language import Language


class LeadField(StrEnum):
    """What a condition can ask of the lead of a call."""

    SOURCE = "source"
    LANGUAGE = "language"
    RETURNING = "returning"
    SERVICE = "service"


# Nothing is known of it: a lead without words, a call before any deal.
UNKNOWN = ""
YES, NO = "true", "false"
VALUES: Mapping[LeadField, Collection[str]] = {
    LeadField.LANGUAGE: (*Language, UNKNOWN),
    LeadField.RETURNING: (YES, NO),
    LeadField.SERVICE: (*Service, UNKNOWN),
}


class Data(BaseModel):
    """Base of what people write down: unknown names are refused, nothing changes afterwards."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Case(Data):
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
        """The values of a field, as words; never none."""
        match field:
            case LeadField.SOURCE:
                return (self.source,)
            case LeadField.LANGUAGE:
                return (self.language or UNKNOWN,)
            case LeadField.RETURNING:
                return (YES if self.returning else NO,)
            case LeadField.SERVICE:
                return self.services or (UNKNOWN,)


Figure = Annotated[float, Field(allow_inf_nan=False)]


class Condition(Data):
    """What has to hold of an argument, of the lead, or of the draft's marks; all that is named has to.

    above and below are compared with the largest figure in the value, in digits or in words.
    """

    argument: str | None = None
    lead: LeadField | None = None
    marked: bool | None = None
    equals: str | int | Figure | bool | None = None
    one_of: Annotated[tuple[str, ...], Field(min_length=1)] | None = None
    contains: str | None = None
    longer_than: Annotated[int, Field(ge=0)] | None = None
    above: Figure | None = None
    below: Figure | None = None

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

    @model_validator(mode="after")
    def _can_hold(self) -> Self:
        known = VALUES.get(self.lead) if self.lead else None
        if known is not None and any(word.casefold() not in known for word in self._words()):
            raise ValueError(f"{self.lead} is one of: {', '.join(filter(None, known))}")
        return self

    def _words(self) -> Iterator[str]:
        """What the value is compared with as a whole."""
        yield from self.one_of or ()
        if self.equals is not None:
            yield _word(self.equals)

    def holds(self, case: Case) -> bool:
        """Whether it holds of any value: so a condition asks for more people, rather once too often.

        Of an argument that is not there nothing holds.
        """
        return self._fits_marks(case) and any(map(self._fits, self._values(case)))

    def holds_throughout(self, case: Case) -> bool:
        """Whether it holds of every value, and there is one: so a condition lets a call pass."""
        values = self._values(case)
        return self._fits_marks(case) and bool(values) and all(map(self._fits, values))

    def _fits_marks(self, case: Case) -> bool:
        return self.marked is None or self.marked is (case.marks > 0)

    def _values(self, case: Case) -> list[object]:
        """What it asks of; where it asks of the marks alone, a word that everything fits."""
        if self.lead is not None:
            return list(case.of_lead(self.lead))
        if self.argument is None:
            return [""]
        return list(_leaves(case.arguments[self.argument])) if self.argument in case.arguments else []

    def _fits(self, value: object) -> bool:
        word = _word(value)
        folded = word.casefold()
        return (
            (self.equals is None or folded == _word(self.equals).casefold())
            and (self.one_of is None or folded in {word.casefold() for word in self.one_of})
            and (self.contains is None or self.contains.casefold() in folded)
            and (self.longer_than is None or len(word) > self.longer_than)
            and self._fits_bounds(value)
        )

    def _fits_bounds(self, value: object) -> bool:
        if self.above is None and self.below is None:
            return True
        figure = _figure(value)
        return (
            figure is not None
            and (self.above is None or figure > self.above)
            and (self.below is None or figure < self.below)
        )


def _leaves(value: object) -> Iterator[object]:
    """An argument's texts and numbers, one by one where it is a list or an object."""
    match value:
        case list():
            for item in value:
                yield from _leaves(item)
        case dict():
            yield from _leaves(list(value.values()))
        case _:
            yield value


def _word(value: object) -> str:
    """A value as conditions are written: true, 5, text."""
    return value if isinstance(value, str) else dumps(value)


def _figure(value: object) -> Decimal | None:
    match value:
        case bool() | None:
            return None
        case int() | float():
            return Decimal(str(value))
    return largest_figure(_word(value))


def conditions_json(conditions: Iterable[Condition]) -> str:
    """For a row."""
    return dumps([condition.model_dump(mode="json", exclude_none=True) for condition in conditions])


def conditions_of(stored: str) -> tuple[Condition, ...]:
    """From a row."""
    return tuple(Condition.model_validate(row) for row in json.loads(stored))
