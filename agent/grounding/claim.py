"""What a text says that can be true or false: a price, a day, an address, a name."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from agent.marks import MarkKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """The letters from `start` to `end` of a text, and what they amount to in any spelling.

    As a draft's claim it is grounded if some source gives one of its `needs`, or if it has none.  As a
    source's claim it `gives` more than it would need itself: who names a day of a year also names the day.
    """

    kind: MarkKind
    start: int
    end: int
    needs: frozenset[str]
    gives: frozenset[str]

    def is_said(self, given: Collection[str]) -> bool:
        """Whether sources that give this say it."""
        return not self.needs or any(need in given for need in self.needs)


def claim(
    kind: MarkKind,
    span: tuple[int, int],
    *values: str,
    accepts: Iterable[str] = (),
    gives: Iterable[str] = (),
) -> Claim:
    """A claim that needs one of its `values` or of what it `accepts`, and gives its values and `gives`."""
    start, end = span
    return Claim(
        kind=kind,
        start=start,
        end=end,
        needs=frozenset([*values, *accepts]),
        gives=frozenset([*values, *gives]),
    )


def blanked(text: str, claims: Iterable[Claim]) -> str:
    """The text, letter for letter, with nothing where the claims are; a full stop may end a sentence too."""
    letters = list(text)
    for each in claims:
        end = each.end - text.endswith(".", each.start, each.end)
        letters[each.start : end] = "\0" * (end - each.start)
    return "".join(letters)
