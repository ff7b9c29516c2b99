"""What an evaluation found: each run beside what is expected of it, and the control figures over all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.jsontext import JsonObject
from agent.records.report import Counts
from bot.evals.expected import Expected, Suite

# What a model may say in other words than the specification's example.
WORDING = frozenset({"summary", "proposed_action"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One field that is not as expected."""

    field: str
    expected: object
    found: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One run as its rows tell it."""

    record_id: str | None
    run_id: str
    before_decision: JsonObject | None
    result: JsonObject
    decision: str | None
    counts: Counts
    model_limit: int
    states: list[str]
    legal: bool
    journal: list[str]

    def as_json(self) -> JsonObject:
        """The fields of `eval records --json` that do not depend on what is expected."""
        return {
            "record_id": self.record_id,
            "run_id": self.run_id,
            "before_decision": self.before_decision,
            "result": self.result,
            "change_calls": self.counts.change_calls,
            "read_calls": self.counts.reads,
            "retries": self.counts.retries,
            "model_calls": self.counts.model_calls,
            "decision": self.decision,
            "states": self.states,
            "journal": self.journal,
        }


def differences(found: Outcome, expected: Expected, *, wording: bool) -> list[Difference]:
    """All that is not as expected; `wording`: whether the model's own sentences are compared too."""
    return [
        Difference(field=field, expected=wanted, found=got)
        for field, wanted, got in _compared(found, expected)
        if wanted != got and (wording or not _worded_otherwise(field, wanted, got))
    ]


def _worded_otherwise(field: str, wanted: object, got: object) -> bool:
    return field.rpartition(".")[2] in WORDING and isinstance(wanted, str) and isinstance(got, str)


def _compared(found: Outcome, expected: Expected) -> Iterator[tuple[str, object, object]]:
    """Each compared field: its name, what is expected, what was found."""
    shown = found.as_json()
    for field in ("run_id", "decision", "read_calls", "retries", "change_calls"):
        yield field, getattr(expected, field), shown[field]
    for name, wanted in (("before_decision", expected.before_decision), ("result", expected.result)):
        got = shown[name] or {}
        for field in wanted or got:
            yield f"{name}.{field}", (wanted or {}).get(field), got.get(field)
    yield "journal", expected.journal, found.journal
    yield "states: legal", True, found.legal
    yield "model_calls: within the limit", True, found.counts.model_calls <= found.model_limit


def totals(found: Sequence[Outcome]) -> dict[str, int]:
    """The specification's control figures, counted over the runs."""
    counts = [outcome.counts for outcome in found]
    return {
        "N": len(found),
        "e": sum(count.reads - count.retries for count in counts),
        "retry": sum(count.retries for count in counts),
        "T_total": sum(count.reads for count in counts),
        "Tool_success": sum(count.successes for count in counts),
        "Runs_completed": sum(outcome.result.get("status") == "completed" for outcome in found),
        "Handoff_total": sum(outcome.result.get("needs_human") is True for outcome in found),
        "Decision_total": sum(outcome.decision in ("approved", "denied") for outcome in found),
        "W_total": sum(count.change_calls for count in counts),
        "M_total": sum(count.model_calls for count in counts),
        "M_limit": sum(outcome.model_limit for outcome in found),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """All runs of a suite, compared."""

    suite: Suite
    outcomes: tuple[Outcome, ...]
    wording: bool

    @property
    def compared(self) -> list[tuple[Outcome, list[Difference]]]:
        """Each run with what differs."""
        pairs = zip(self.outcomes, self.suite.runs, strict=True)
        return [(found, differences(found, expected, wording=self.wording)) for found, expected in pairs]

    @property
    def totals(self) -> dict[str, int]:
        return totals(self.outcomes)

    @property
    def wrong_totals(self) -> list[Difference]:
        """Control figures that are not the specification's, or model calls above their limit."""
        found = self.totals
        wrong = [
            Difference(field=name, expected=wanted, found=found[name])
            for name, wanted in self.suite.totals.items()
            if found[name] != wanted
        ]
        if found["M_total"] > found["M_limit"]:
            wrong.append(
                Difference(field="M_total", expected=f"<= {found['M_limit']}", found=found["M_total"])
            )
        return wrong

    @property
    def matches(self) -> bool:
        return not self.wrong_totals and not any(wrong for _, wrong in self.compared)

    def as_json(self) -> JsonObject:
        """The object of `lead-agent eval records --json`."""
        pairs = zip(self.suite.runs, self.compared, strict=True)
        runs = [
            {"case": expected.case}
            | found.as_json()
            | {"matches": not wrong, "differs": [d.field for d in wrong]}
            for expected, (found, wrong) in pairs
        ]
        return {"runs": runs, "totals": self.totals, "matches": self.matches}
