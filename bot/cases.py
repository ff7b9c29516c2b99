"""`lead-agent feedback`: what operators expected, and eval cases made of it."""

import json
from pathlib import Path

from agent.anonymous import case_of
from agent.errors import NotFound, SettingsError
from agent.feedback import Feedback
from bot.reports import read_rows, say
from bot.settings import Settings
from storage.transaction import SqliteTransaction

LATEST = 1000


def feedback(run: str | None, *, as_json: bool, as_case: bool, out: str | None) -> int:
    """List feedback, newest first, or print the case of a run's latest."""
    if as_case and run is None:
        raise SettingsError(["--as-case: name the run, like lead-agent feedback run-12 --as-case"])
    if out and not as_case:
        raise SettingsError(["--out: goes with --as-case"])
    found = read_rows(Settings.load(), lambda tx: _latest(tx, run))
    if as_case:
        _write(_case(run or "", found), out)
    elif as_json:
        say(json.dumps([item.as_json() for item in found], ensure_ascii=False, indent=1))
    else:
        _list(found)
    return 0


def _latest(tx: SqliteTransaction, run: str | None) -> list[Feedback]:
    return tx.feedback.latest(LATEST, None if run is None else tx.runs.get(tx.views.id_of(run)).id)


def _case(run: str, found: list[Feedback]) -> str:
    if not found:
        raise NotFound(f"nobody gave feedback on {run[:40]}; /feedback {run[:40]} … in the group does")
    latest = found[0]
    case = case_of(latest.feedback_id, latest.expected, latest.input, latest.result)
    return json.dumps(case, ensure_ascii=False, indent=1)


def _write(case: str, out: str | None) -> None:
    if out is None:
        return say(case)
    try:
        Path(out).write_text(case + "\n", encoding="utf-8")
    except OSError as error:
        raise SettingsError([f"--out {out}: cannot be written ({error.strerror})"]) from error
    return None


def _list(found: list[Feedback]) -> None:
    for item in found:
        line = item.as_json()
        say("{feedback_id:<6} {run_id:<13} {at}  ".format(**line) + f"{item.by.name}: {item.expected}")
    if not found:
        say("There is no feedback yet; /feedback RUN what was expected, in the group, gives some.")
