"""`lead-agent eval`: the table, what differs and the sums of a suite, or all of it as JSON; two of these."""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from agent.jsontext import JsonObject
from bot.evals import leads, records
from bot.evals.comparison import Comparison, compare
from bot.evals.harness import candidate
from bot.evals.lead_cases import LeadCase
from bot.evals.lead_outcome import LeadEvaluation, LeadOutcome
from bot.evals.outcome import Difference, Evaluation, Outcome
from bot.evals.report import differing, paragraphs, table, verdict

_RECORD_COLUMNS = ("run", "status", "needs_human", "reads", "retries", "model calls", "decision", "verdict")
_LEAD_COLUMNS = ("case", "status", "tools", "service", "escalated", "language", "verdict")
_SHORT = {
    "get_customer_history": "history",
    "create_deal": "deal",
    "send_reply": "reply",
    "escalate_to_manager": "escalate",
}


def eval_records(*, model: str, as_json: bool) -> int:
    """Run the nine record runs; 1 unless all is as the specification says."""
    evaluation = asyncio.run(_records(model))
    _print(_json(evaluation.as_json()) if as_json else _record_report(evaluation))
    return 0 if evaluation.matches else 1


def eval_leads(*, model: str, as_json: bool) -> int:
    """Run the lead cases; 1 unless all are as wanted."""
    evaluation = asyncio.run(_leads(model))
    _print(_json(evaluation.as_json()) if as_json else _lead_report(evaluation))
    return 0 if evaluation.matches else 1


def eval_compare(before: str, after: str, *, as_json: bool) -> int:
    """Show what changed between two saved evaluations; 1 if the second is worse."""
    comparison = compare(Path(before), Path(after))
    _print(_json(comparison.as_json()) if as_json else _comparison_report(comparison))
    return 1 if comparison.worse else 0


async def _records(model: str) -> Evaluation:
    async with candidate(model) as (client, name):
        return await records.evaluate(client, name=name, wording=model == "scripted")


async def _leads(model: str) -> LeadEvaluation:
    async with candidate(model) as (client, name):
        return await leads.evaluate(client, name=name)


def _record_report(evaluation: Evaluation) -> str:
    return paragraphs(
        table([_RECORD_COLUMNS, *(_record_row(found, wrong) for found, wrong in evaluation.compared)]),
        [line for found, wrong in evaluation.compared for line in differing(found.run_id, wrong)],
        _record_totals(evaluation),
        differing("totals", evaluation.wrong_totals),
        "All as the specification says." if evaluation.matches else "NOT as the specification says.",
    )


def _record_row(found: Outcome, wrong: Sequence[Difference]) -> tuple[str, ...]:
    counts, result = found.counts, found.result
    return (
        found.run_id,
        str(result.get("status")),
        _yes(result.get("needs_human")),
        str(counts.reads),
        str(counts.retries),
        str(counts.model_calls),
        found.decision or "–",
        verdict(wrong),
    )


def _record_totals(evaluation: Evaluation) -> str:
    figures = evaluation.totals
    names = {"e": "Σe", "retry": "Σretry", "M_total": "Σm"}
    shown = {names.get(name, name): figure for name, figure in figures.items() if name != "M_limit"}
    return f"{_figures(shown)} (limit {figures['M_limit']})"


def _lead_report(evaluation: LeadEvaluation) -> str:
    return paragraphs(
        table([_LEAD_COLUMNS, *(_lead_row(*compared) for compared in evaluation.compared)]),
        [line for case, _, wrong in evaluation.compared for line in differing(case.case, wrong)],
        _figures(evaluation.totals),
        "All as wanted." if evaluation.matches else "NOT as wanted.",
    )


def _lead_row(case: LeadCase, found: LeadOutcome, wrong: Sequence[Difference]) -> tuple[str, ...]:
    return (
        case.case,
        found.status,
        ", ".join(_SHORT.get(tool, tool) for tool in found.tools) or "–",
        ", ".join(found.services) or "–",
        _yes(found.escalated),
        ", ".join(found.languages) or "–",
        verdict(wrong),
    )


def _comparison_report(comparison: Comparison) -> str:
    return paragraphs(
        table(
            [
                ("", "file", "cases", "match"),
                *(
                    (letter, str(saved.path), str(len(saved.entries)), str(saved.matched))
                    for letter, saved in (("A", comparison.before), ("B", comparison.after))
                ),
            ]
        ),
        [f"{what}: {', '.join(cases)}" for what, cases in comparison.moved.items() if cases],
        [line for case, changed in comparison.changed.items() for line in differing(case, changed)],
        differing("totals", comparison.totals),
        differing("versions", comparison.versions),
        "B is WORSE than A." if comparison.worse else "B is not worse than A.",
    )


def _yes(value: object) -> str:
    return "yes" if value else "no"


def _figures(figures: dict[str, int]) -> str:
    return ", ".join(f"{name}={figure}" for name, figure in figures.items())


def _json(value: JsonObject) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
