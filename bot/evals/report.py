"""Evaluations on paper: tables, what differs, paragraphs."""

import json
from collections.abc import Iterable, Sequence

from bot.evals.outcome import Difference


def table(rows: Sequence[Sequence[str]]) -> str:
    """The rows, of which the first is the heading, in columns."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def verdict(wrong: Sequence[Difference]) -> str:
    """The last cell of a row."""
    return f"{len(wrong)} differ" if wrong else "ok"


def differing(where: str, differences: Iterable[Difference]) -> list[str]:
    """Each field, then what was expected or was there before and what was found, a line each."""
    return [line for difference in differences for line in _lines(where, difference)]


def paragraphs(*parts: str | Sequence[str]) -> str:
    """Those of the parts that are not empty, with an empty line between; a list of lines is one part."""
    texts = [part if isinstance(part, str) else "\n".join(part) for part in parts]
    return "\n\n".join(text for text in texts if text)


def _lines(where: str, difference: Difference) -> list[str]:
    return [
        f"{where}  {difference.field}",
        *(f"  - {line}" for line in _shown(difference.expected)),
        *(f"  + {line}" for line in _shown(difference.found)),
    ]


def _shown(value: object) -> list[str]:
    if isinstance(value, list) and value:
        return [str(line) for line in value]
    return [json.dumps(value, ensure_ascii=False)]
