"""Marks: what of a draft no source says, and what in a lead's words looks like an order to the agent."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from agent.jsontext import dumps


class MarkKind(StrEnum):
    """What was marked."""

    NUMBER = "number"
    PRICE = "price"
    PERCENT = "percent"
    DISCOUNT = "discount"
    DATE = "date"
    TIME = "time"
    DURATION = "duration"
    LINK = "link"
    EMAIL = "email"
    PHONE = "phone"
    HANDLE = "handle"
    NAME = "name"
    INSTRUCTION = "instruction"


# What one can be held to, and where one sends people; a name is neither.
ANSWERED_FOR = frozenset(MarkKind) - {MarkKind.NAME, MarkKind.INSTRUCTION}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Some words, as they stand in the text."""

    kind: MarkKind
    text: str


def doubts(marks: Sequence[Mark]) -> list[Mark]:
    """What of the draft no source says."""
    return [mark for mark in marks if mark.kind is not MarkKind.INSTRUCTION]


def orders(marks: Sequence[Mark]) -> list[Mark]:
    """What in the lead's words looks like an order to the agent."""
    return [mark for mark in marks if mark.kind is MarkKind.INSTRUCTION]


def marks_json(marks: Sequence[Mark]) -> str | None:
    """For a row; None without any."""
    return dumps([{"kind": mark.kind, "text": mark.text} for mark in marks]) if marks else None


def marks_of(stored: str | None) -> tuple[Mark, ...]:
    """From a row."""
    rows = json.loads(stored) if stored else []
    return tuple(Mark(kind=MarkKind(row["kind"]), text=row["text"]) for row in rows)
