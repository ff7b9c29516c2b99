"""`lead-agent runs | show | journal | migrate`: beside a running bot, reading only (but for `migrate`)."""

import asyncio
import json
import sys
from collections.abc import Callable
from typing import TypeVar

from agent.journal import Record
from agent.limits import cost
from agent.records import report
from agent.records.agent import NAME as RECORDS
from agent.runs import Run
from agent.views import run_line, run_object
from bot.settings import Settings
from storage.store import SqliteStore, open_reader
from storage.transaction import SqliteTransaction

T = TypeVar("T")


def runs(*, limit: int, as_json: bool) -> int:
    """List runs, newest first."""
    settings = Settings.load()
    found = _read(settings, lambda tx: tx.views.latest(limit))
    lines = [run_line(run, cost(run.usage, model, settings.prices)) for run, model in found]
    if as_json:
        _print(json.dumps(lines, ensure_ascii=False, indent=1))
        return 0
    for line in lines:
        _print(
            "{run_id:<13} {status:<22} {lead_id:<8} {steps} steps {tokens:>6} tokens  {created_at}".format(
                **line
            )
        )
    if not lines:
        _print("There are no runs yet.")
    return 0


def show(name: str, *, as_json: bool) -> int:
    """Everything about one run."""
    settings = Settings.load()
    view = _read(settings, lambda tx: tx.views.run(tx.views.id_of(name)))
    shown = run_object(view, cost(view.run.usage, view.model, settings.prices))
    if as_json:
        _print(json.dumps(shown, ensure_ascii=False, indent=1))
        return 0
    for key, value in shown.items():
        _print(f"{key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}")
    return 0


def journal(name: str, *, as_json: bool) -> int:
    """Every step of one run, an object a line."""

    def found(tx: SqliteTransaction) -> tuple[Run, list[Record]]:
        run_id = tx.views.id_of(name)
        return tx.runs.get(run_id), tx.views.journal(run_id)

    run, records = _read(Settings.load(), found)
    if run.agent == RECORDS and not as_json:
        _print("\n".join(report.lines(run, records)))
        return 0
    for record in records:
        line = record.as_json()
        if as_json:
            _print(json.dumps(line, ensure_ascii=False))
        else:
            details = {
                key: line[key] for key in ("tokens", "input", "attempt", "proposal_id", "note") if key in line
            }
            tail = json.dumps(details, ensure_ascii=False) if details else ""
            _print("{at}  {step} {kind:<9} {name} {outcome} {ms} ms ".format(**line) + tail)
    return 0


def migrate() -> int:
    """Open the database as `serve` would, which brings its schema up to date."""
    settings = Settings.load()

    async def opened() -> None:
        async with SqliteStore(settings.database_path):
            pass

    asyncio.run(opened())
    _print(f"{settings.database_path} is up to date")
    return 0


def _read(settings: Settings, function: Callable[[SqliteTransaction], T]) -> T:
    async def read() -> T:
        async with await open_reader(settings.database_path) as reader:
            return await reader.read(function)

    return asyncio.run(read())


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
