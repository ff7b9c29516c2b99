"""What a text says that can be true or false: a price, a day, an address, a name."""

from collections.abc import Iterable
from dataclasses import dataclass

from agent.marks import MarkKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The letters from `start` to `end` of a text, and what they amount to in any spelling.

    As a draft's claim it is grounded if some source gives one of its `needs`.  As a source's claim it
    `gives` more than it would need itself: who names a day of a year also names the day.
    """

    kind: MarkKind
    start: int
    end: int
    needs: frozenset[str]
    gives: frozenset[str]


def claim(kind: MarkKind, span: tuple[int, int], *needs: str, gives: tuple[str, ...] = ()) -> Claim:
    """A claim that gives what it needs, and `gives` besides."""
    start, end = span
    wanted = frozenset(needs)
    return Claim(kind=kind, start=start, end=end, needs=wanted, gives=wanted | set(gives))


def blanked(text: str, claims: Iterable[Claim]) -> str:
    """The text, letter for letter, with nothing where the claims are."""
    letters = list(text)
    for each in claims:
        letters[each.start : each.end] = "\0" * (each.end - each.start)
    return "".join(letters)
