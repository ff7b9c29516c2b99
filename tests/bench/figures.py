"""What a section of the benchmark found, for people and for scripts."""

import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured value; `goal` is the most it may be, None where nothing is promised."""

    name: str
    value: float | None
    unit: str
    goal: float | None = None
    note: str = ""

    @property
    def verdict(self) -> str:
        if self.goal is None or self.value is None:
            return ""
        return f"goal <= {self.goal:g}: {'met' if self.value <= self.goal else 'MISSED'}"

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def table(title: str, figures: Sequence[Figure]) -> str:
    """A section as aligned lines."""
    lines = [title]
    for figure in figures:
        value = "not measured" if figure.value is None else f"{figure.value:,.3f}".rstrip("0").rstrip(".")
        remarks = "; ".join(filter(None, (figure.verdict, figure.note)))
        lines.append(f"  {figure.name:<46}{value:>12} {figure.unit:<9}{remarks}".rstrip())
    return "\n".join(lines)


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """Lower quartile, median, upper quartile."""
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, middle, high
