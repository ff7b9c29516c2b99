"""`lead-agent runs | show | journal | migrate`: beside a running bot, reading only (but for `migrate`)."""

import asyncio
import json
import sys
from collections.abc import Callable
from typing import TypeVar

from agent.costs import Tariff, cost_of_run
from agent.journal import Record
from agent.jsontext import JsonObject
from agent.records import report
from agent.records.agent import NAME as RECORDS
from agent.runs import Run
from agent.views import report_object, run_line
from bot.settings import Settings
from storage.store import SqliteStore, open_reader
from storage.transaction import SqliteTransaction

T = TypeVar("T")


def runs(*, limit: int, as_json: bool) -> int:
    """List runs, newest first."""
    settings = Settings.load()
    lines = read_rows(settings, lambda tx: _run_lines(tx, limit, settings.tariff))
    if as_json:
        say(json.dumps(lines, ensure_ascii=False, indent=1))
        return 0
    for line in lines:
        say(
            "{run_id:<13} {status:<22} {lead_id:<8} {steps} steps {tokens:>6} tokens  {created_at}".format(
                **line
            )
        )
    if not lines:
        say("There are no runs yet.")
    return 0


def _run_lines(tx: SqliteTransaction, limit: int, tariff: Tariff) -> list[JsonObject]:
    found = tx.views.latest(limit)
    units = tx.views.units(found[-1][0].id, found[0][0].id) if found and tariff.units else {}
    return [
        run_line(run, cost_of_run(run.usage, model, units.get(run.id, {}), tariff)) for run, model in found
    ]


def show(name: str, *, as_json: bool) -> int:
    """Everything about one run."""
    settings = Settings.load()
    found = read_rows(settings, lambda tx: tx.views.report(tx.views.id_of(name)))
    shown = report_object(found, settings.tariff)
    if as_json:
        say(json.dumps(shown, ensure_ascii=False, indent=1))
        return 0
    for key, value in shown.items():
        say(f"{key}: {value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}")
    return 0


def journal(name: str, *, as_json: bool) -> int:
    """Every step of one run, an object a line."""

    def found(tx: SqliteTransaction) -> tuple[Run, list[Record]]:
        run_id = tx.views.id_of(name)
        return tx.runs.get(run_id), tx.views.journal(run_id)

    run, records = read_rows(Settings.load(), found)
    if run.agent == RECORDS and not as_json:
        say("\n".join(report.lines(run, records)))
        return 0
    for record in records:
        line = record.as_json()
        if as_json:
            say(json.dumps(line, ensure_ascii=False))
        else:
            details = {
                key: line[key] for key in ("tokens", "input", "attempt", "proposal_id", "note") if key in line
            }
            tail = json.dumps(details, ensure_ascii=False) if details else ""
            say("{at}  {step} {kind:<9} {name} {outcome} {ms} ms ".format(**line) + tail)
    return 0


def migrate() -> int:
    """Open the database as `serve` would, which brings its schema up to date."""
    settings = Settings.load()

    async def opened() -> None:
        async with SqliteStore(settings.database_path):
            pass

    asyncio.run(opened())
    say(f"{settings.database_path} is up to date")
    return 0


def read_rows(settings: Settings, function: Callable[[SqliteTransaction], T]) -> T:
    async def read() -> T:
        async with await open_reader(settings.database_path) as reader:
            return await reader.read(function)

    return asyncio.run(read())


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
