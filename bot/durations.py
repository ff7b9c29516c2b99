"""Durations of settings: 500ms, 45s, 30m, 24h, 7d in, whole milliseconds out."""

import re
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

_DURATION = re.compile(r"(\d+)\s*(ms|s|m|h|d)")
_UNIT_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
LONGEST = 365 * 86_400_000


def _duration(value: object) -> object:
    """A text like 24h, 90m or 45s to milliseconds; a default already is a number of them."""
    if isinstance(value, int):
        return value
    match = _DURATION.fullmatch(str(value).strip())
    if match is None:
        raise ValueError("write a number and a unit: 45s, 30m, 24h or 7d")
    if len(match[1]) > 9 or (milliseconds := int(match[1]) * _UNIT_MS[match[2]]) > LONGEST:
        raise ValueError("write at most 365d")
    return milliseconds


def _positive(value: int) -> int:
    if value <= 0:
        raise ValueError("write more than nothing")
    return value


Milliseconds = Annotated[int, BeforeValidator(_duration)]
Some = Annotated[Milliseconds, AfterValidator(_positive)]
