"""`lead-agent leads`: every request of a person, newest first."""

import json

from agent.jsontext import JsonObject, one_line
from agent.views import lead_line
from bot.reports import read_rows, say
from bot.settings import Settings

# Of the words, in a line.
_SHOWN = 60


def leads(*, limit: int | None, as_json: bool) -> int:
    """List them; `limit`: at most so many."""
    found = read_rows(Settings.load(), lambda tx: tx.leads.latest(-1 if limit is None else limit))
    lines = [lead_line(view) for view in found]
    if as_json:
        say(json.dumps(lines, ensure_ascii=False, indent=1))
        return 0
    for line in lines:
        say(_line(line))
    if not lines:
        say("There are no leads yet.")
    return 0


def _line(lead: JsonObject) -> str:
    contact = lead["phone"] or next(iter(lead["emails"]), "–")
    marks = "".join(f"[{mark}] " for mark in ("raw_only", "spam") if lead[mark])
    words = one_line(lead["message"])
    shown = words if len(words) <= _SHOWN else f"{words[: _SHOWN - 1]}…"
    return (
        f"{lead['id']:<7} {lead['created_at'][:16]}  {lead['source']:<12} {lead['name'] or '–':<20} "
        f"{contact:<18} {marks}{shown}"
    )
