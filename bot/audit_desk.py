"""/audit [DAY] [PERSON] in the operators' group: who decided what."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from html import escape
from typing import Any
from zoneinfo import ZoneInfo

from telegram import Update
from telegram.ext import BaseHandler, CallbackContext, CommandHandler, filters

from agent.audit import Entry
from bot.cards import CardStyle, fitting
from bot.desk import Desk
from bot.ports import BotStore, BotTransaction

Context = CallbackContext[Any, Any, Any, Any]
SHOWN = 50
LISTED = 100_000
HASH_SHOWN = 12
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
FOREVER = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """Which decisions are wanted: of one day, in the company's time zone, and of one person."""

    first: int = 0
    last: int = FOREVER
    person: str | None = None

    @classmethod
    def of(cls, day: str | None, person: str | None, zone: ZoneInfo) -> "Filter":
        """ValueError for a day that is none."""
        if day is None:
            return cls(person=person)
        begin = datetime.combine(date.fromisoformat(day), datetime.min.time(), zone)
        end = datetime.combine(begin.date() + timedelta(days=1), datetime.min.time(), zone)
        return cls(first=_ms(begin), last=_ms(end), person=person)

    @classmethod
    def of_words(cls, words: list[str], zone: ZoneInfo) -> "Filter":
        """A day and a person in any order, as people write them after the command."""
        days = [word for word in words if _DAY.fullmatch(word)]
        names = [word for word in words if word not in days]
        return cls.of(days[0] if days else None, " ".join(names) or None, zone)

    def entries(self, tx: BotTransaction, limit: int) -> list[Entry]:
        """Newest first."""
        found = tx.audit.between(self.first, self.last, LISTED if self.person else limit)
        return [entry for entry in found if self._is_by(entry)][:limit]

    def _is_by(self, entry: Entry) -> bool:
        if self.person is None:
            return True
        wanted = self.person.lstrip("@").casefold()
        return wanted == str(entry.person.id) or wanted in entry.person.name.casefold()


def _ms(moment: datetime) -> int:
    return int(moment.astimezone(UTC).timestamp() * 1000)


class AuditDesk:
    """Handler of /audit."""

    def __init__(self, *, store: BotStore, desk: Desk, style: CardStyle) -> None:
        self._store = store
        self._desk = desk
        self._style = style

    def handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        groups = filters.ChatType.GROUPS & filters.UpdateType.MESSAGE
        return [CommandHandler("audit", self._on_audit, filters=groups)]

    async def _on_audit(self, update: Update, context: Context) -> None:
        asked = self._desk.asked(update)
        if asked is None:
            return None
        texts = self._style.texts
        try:
            wanted = Filter.of_words(context.args or [], self._style.zone)
        except ValueError:
            return await self._desk.answer(asked[0], texts.audit_usage)
        entries = await self._store.read(lambda tx: wanted.entries(tx, SHOWN))
        lines = [self._line(entry) for entry in entries] or [texts.audit_none]
        words = fitting([texts.audit_title, *lines], texts.pending_more.format)
        return await self._desk.answer(asked[0], words)

    def _line(self, entry: Entry) -> str:
        version = f" v{entry.version}" if entry.version else ""
        verdict = self._style.texts.verdicts.get(entry.verdict, entry.verdict)
        note = f" · {escape(entry.note[:80], quote=False)}" if entry.note else ""
        return (
            f"{self._style.time(entry.at)} · {escape(entry.person.name, quote=False)} · {verdict} · "
            f"P-{entry.proposal_id}{version} · <code>{entry.arguments_hash[:HASH_SHOWN]}</code>{note}"
        )
