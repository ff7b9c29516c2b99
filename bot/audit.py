"""`lead-agent audit`: who decided what, and whether that log is whole."""

import json

from agent.errors import SettingsError
from bot.audit_desk import HASH_SHOWN, LISTED, Filter
from bot.reports import read_rows, say
from bot.settings import Settings


def audit(*, day: str | None, person: str | None, as_json: bool) -> int:
    """List decisions, newest first."""
    settings = Settings.load()
    try:
        wanted = Filter.of(day, person, settings.zone)
    except ValueError:
        raise SettingsError(["audit: write the day like 2026-11-30"]) from None
    entries = read_rows(settings, lambda tx: wanted.entries(tx, LISTED))
    if as_json:
        say(json.dumps([entry.as_json() for entry in entries], ensure_ascii=False, indent=1))
        return 0
    for entry in entries:
        line = entry.as_json()
        say(
            f"{line['at']}  {entry.verdict:<10} {line['proposal_id']:<7} v{entry.version or '-'}  "
            f"{entry.arguments_hash[:HASH_SHOWN]}  {entry.person}{f'  {entry.note}' if entry.note else ''}"
        )
    if not entries:
        say("There are no such decisions.")
    return 0


def verify(*, expected: str | None) -> int:
    """Look at every entry of the log; 1 if it is not whole, or does not hold the hash that was kept."""
    found = read_rows(Settings.load(), lambda tx: tx.audit.verify(expected))
    if found.fault is not None:
        say(f"broken: {found.fault}")
        return 1
    if expected is not None and not found.expected:
        say(f"broken: {expected} stands nowhere in the log: it was changed, or something was taken away")
        return 1
    older = f" ({found.unchained} from before there was a chain)" if found.unchained else ""
    say(f"whole: {found.entries} decisions{older}, head {found.head}")
    return 0
