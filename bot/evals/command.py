"""`lead-agent eval records`: the table, what differs, the control figures; or all of it as JSON."""

import asyncio
import json
import sys
from collections.abc import Sequence

from agent.errors import SettingsError
from bot.app import claude_of
from bot.evals.outcome import Difference, Evaluation, Outcome
from bot.evals.records import evaluate, scripted
from bot.logs import configure
from bot.settings import Settings

_COLUMNS = ("run", "status", "needs_human", "reads", "retries", "model calls", "decision", "verdict")


def eval_records(*, model: str, as_json: bool) -> int:
    """Run the nine record runs; 1 unless all is as the specification says."""
    evaluation = asyncio.run(_with_claude() if model == "claude" else _with_script())
    _print(json.dumps(evaluation.as_json(), ensure_ascii=False, indent=1) if as_json else _report(evaluation))
    return 0 if evaluation.matches else 1


async def _with_script() -> Evaluation:
    async with scripted() as model:
        return await evaluate(model)


async def _with_claude() -> Evaluation:
    settings = Settings.load()
    if settings.anthropic_api_key is None:
        raise SettingsError(["ANTHROPIC_API_KEY: missing; --model claude needs it"])
    configure("ERROR", [settings.anthropic_api_key.get_secret_value()])
    claude = claude_of(settings)
    try:
        return await evaluate(claude, name=settings.anthropic_model, wording=False)
    finally:
        await claude.close()


def _report(evaluation: Evaluation) -> str:
    rows = [_COLUMNS, *(_row(found, wrong) for found, wrong in evaluation.compared)]
    differing = [
        line
        for found, wrong in evaluation.compared
        for difference in wrong
        for line in _difference(found.run_id, difference)
    ]
    wrong_totals = [line for wrong in evaluation.wrong_totals for line in _difference("totals", wrong)]
    verdict = "All as the specification says." if evaluation.matches else "NOT as the specification says."
    parts = [_table(rows), "\n".join(differing), _totals(evaluation), "\n".join(wrong_totals), verdict]
    return "\n\n".join(part for part in parts if part)


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
        f"{len(wrong)} differ" if wrong else "ok",
    )


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _difference(where: str, difference: Difference) -> list[str]:
    """The field, then what was expected and what was found, a line each."""
    return [
        f"{where}  {difference.field}",
        *(f"  - {line}" for line in _shown(difference.expected)),
        *(f"  + {line}" for line in _shown(difference.found)),
    ]


def _shown(value: object) -> list[str]:
    lines = value if isinstance(value, list) else [json.dumps(value, ensure_ascii=False)]
    return [str(line) for line in lines]


def _totals(evaluation: Evaluation) -> str:
    figures = evaluation.totals
    names = {"e": "Σe", "retry": "Σretry", "M_total": "Σm"}
    shown = [f"{names.get(name, name)}={figure}" for name, figure in figures.items() if name != "M_limit"]
    return f"{', '.join(shown)} (limit {figures['M_limit']})"


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
