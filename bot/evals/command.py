"""`lead-agent eval records`: the table, what differs, the control figures; or all of it as JSON."""

import asyncio
import json
import sys
from collections.abc import Sequence

from bot.evals.harness import candidate
from bot.evals.outcome import Difference, Evaluation, Outcome
from bot.evals.records import evaluate
from bot.evals.report import differing, paragraphs, table, verdict

_COLUMNS = ("run", "status", "needs_human", "reads", "retries", "model calls", "decision", "verdict")


def eval_records(*, model: str, as_json: bool) -> int:
    """Run the nine record runs; 1 unless all is as the specification says."""
    evaluation = asyncio.run(_evaluated(model))
    _print(json.dumps(evaluation.as_json(), ensure_ascii=False, indent=1) if as_json else _report(evaluation))
    return 0 if evaluation.matches else 1


async def _evaluated(model: str) -> Evaluation:
    async with candidate(model) as (client, name):
        return await evaluate(client, name=name, wording=model == "scripted")


def _report(evaluation: Evaluation) -> str:
    return paragraphs(
        table([_COLUMNS, *(_row(found, wrong) for found, wrong in evaluation.compared)]),
        [line for found, wrong in evaluation.compared for line in differing(found.run_id, wrong)],
        _totals(evaluation),
        differing("totals", evaluation.wrong_totals),
        "All as the specification says." if evaluation.matches else "NOT as the specification says.",
    )


def _row(found: Outcome, wrong: Sequence[Difference]) -> tuple[str, ...]:
    counts, result = found.counts, found.result
    return (
        found.run_id,
        str(result.get("status")),
        "yes" if result.get("needs_human") else "no",
        str(counts.reads),
        str(counts.retries),
        str(counts.model_calls),
        found.decision or "–",
        verdict(wrong),
    )


def _totals(evaluation: Evaluation) -> str:
    figures = evaluation.totals
    names = {"e": "Σe", "retry": "Σretry", "M_total": "Σm"}
    shown = [f"{names.get(name, name)}={figure}" for name, figure in figures.items() if name != "M_limit"]
    return f"{', '.join(shown)} (limit {figures['M_limit']})"


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
