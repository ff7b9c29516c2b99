"""`lead-agent runs | show | journal | migrate`: beside a running bot, reading only (but for `migrate`)."""

import asyncio
import json
import sys
from collections.abc import Callable
from typing import TypeVar

from agent.errors import NotFound
from agent.limits import cost
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
            "{run_id:<10} {status:<22} {lead_id:<8} {steps} steps {tokens:>6} tokens  {created_at}".format(
                **line
            )
        )
    if not lines:
        _print("There are no runs yet.")
    return 0


def show(name: str, *, as_json: bool) -> int:
    """Everything about one run."""
    settings = Settings.load()
    run_id = _run_id(name)
    view = _read(settings, lambda tx: tx.views.run(run_id))
    shown = run_object(view, cost(view.run.usage, view.model, settings.prices))
    if as_json:
        _print(json.dumps(shown, ensure_ascii=False, indent=1))
        return 0
    for key, value in shown.items():
        _print(f"{key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}")
    return 0


def journal(name: str, *, as_json: bool) -> int:
    """Every step of one run, an object a line."""
    run_id = _run_id(name)
    records = _read(Settings.load(), lambda tx: tx.views.journal(run_id))
    for record in records:
        line = record.as_json()
        if as_json:
            _print(json.dumps(line, ensure_ascii=False))
        else:
            details = {key: line[key] for key in ("tokens", "input", "proposal_id", "note") if key in line}
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


def _run_id(name: str) -> int:
    run_id = Run.id_of(name)
    if run_id is None:
        raise NotFound(f"there is no run {name[:40]}; `lead-agent runs` lists them")
    return run_id


def _read(settings: Settings, function: Callable[[SqliteTransaction], T]) -> T:
    async def read() -> T:
        async with await open_reader(settings.database_path) as reader:
            return await reader.read(function)

    return asyncio.run(read())


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
