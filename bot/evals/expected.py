"""What the specification expects of the nine record runs: records.json, written down before any run."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from agent.jsontext import JsonObject
from agent.proposals import Verdict

_VERDICTS = {"approved": Verdict.APPROVE, "denied": Verdict.DENY}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """One run: the decision that belongs to it, its counts, the objects before and after, the journal.

    Where an object names fewer fields than the schema has, the others are not compared.
    """

    case: str
    run_id: str
    decision: str | None
    read_calls: int
    retries: int
    change_calls: int
    before_decision: JsonObject | None
    result: JsonObject
    journal: list[str]

    @property
    def verdict(self) -> Verdict | None:
        return _VERDICTS[self.decision] if self.decision else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """All runs, and the control figures over them."""

    runs: tuple[Expected, ...]
    totals: dict[str, int]


@cache
def record_suite() -> Suite:
    text = files("bot.evals").joinpath("records.json").read_text(encoding="utf-8")
    given = json.loads(text)
    return Suite(runs=tuple(Expected(**run) for run in given["runs"]), totals=given["totals"])
