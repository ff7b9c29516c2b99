"""Presses on the card about leads that wait, and /spam."""

import re
from dataclasses import dataclass
from typing import Any

from telegram import CallbackQuery, Update
from telegram.ext import BaseHandler, CallbackQueryHandler, CommandHandler, filters

from agent.clock import Clock
from agent.digests import DigestVerdict
from agent.errors import NotFound
from agent.runs import Lead, Person
from bot.desk import Desk, answer_to
from bot.ports import BotStore, BotTransaction
from bot.presses import Context, Presses
from bot.reception import Reception
from bot.texts import Texts
from bot.toasts import Toast

_PRESS = re.compile(r"g(?P<code>[ps]):(?P<token>[\w-]{1,40}):(?P<last_id>\d{1,18})\Z", re.ASCII)
_VERDICTS = {"p": DigestVerdict.PROCESS, "s": DigestVerdict.SPAM}


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """What a button of the card says."""

    verdict: DigestVerdict
    token: str
    last_id: int


class DigestDesk:
    """Handlers of the card's buttons, and of /spam and /notspam."""

    def __init__(
        self,
        *,
        store: BotStore,
        reception: Reception,
        presses: Presses,
        desk: Desk,
        texts: Texts,
        clock: Clock,
    ) -> None:
        self._store = store
        self._reception = reception
        self._presses = presses
        self._desk = desk
        self._texts = texts
        self._clock = clock

    def handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        groups = filters.ChatType.GROUPS & filters.UpdateType.MESSAGE
        return [
            CallbackQueryHandler(self._on_press, pattern=_PRESS),
            CommandHandler("spam", self._on_spam, filters=groups),
            CommandHandler("notspam", self._on_not_spam, filters=groups),
        ]

    async def _on_press(self, update: Update, context: Context) -> None:
        query = update.callback_query
        assert query
        press = _press_of(query)
        await self._presses.answer(update, context, lambda tx, person: self._decide(tx, press, person))

    def _decide(self, tx: BotTransaction, press: Press | None, person: Person) -> Toast:
        """Whoever has the token has seen the card: it is 128 random bits."""
        count = press and self._count(tx, press, person)
        if press is None or count is None:
            return Toast(text=self._texts.toast_outdated, alert=True)
        spam = press.verdict is DigestVerdict.SPAM
        words = self._texts.toast_digest_spam if spam else self._texts.toast_digest_process
        return Toast(text=words.format(count=count))

    def _count(self, tx: BotTransaction, press: Press, person: Person) -> int | None:
        """How many leads that decides; None if the card asks about none any more."""
        digest = tx.digests.by_token(press.token)
        if digest is None:
            return None
        return self._reception.decide(tx, digest, press.verdict, press.last_id, person)

    async def _on_spam(self, update: Update, context: Context) -> None:
        await self._mark(update, context, spam=True)

    async def _on_not_spam(self, update: Update, context: Context) -> None:
        await self._mark(update, context, spam=False)

    async def _mark(self, update: Update, context: Context, *, spam: bool) -> None:
        asked = self._desk.asked(update)
        if asked is None:
            return None
        message, _ = asked
        id = Lead.id_of(context.args[0]) if context.args else None
        if id is None:
            return await self._desk.answer(message, self._texts.spam_usage)

        def mark(tx: BotTransaction) -> None:
            lead = tx.leads.get(id)
            tx.waiting.mark(lead, spam=spam)
            words = self._texts.spam_marked if spam else self._texts.spam_unmarked
            tx.notes.add(answer_to(message, words.format(lead=lead.lead_id)), self._clock())

        try:
            return await self._store.transaction(mark)
        except NotFound:
            return await self._desk.answer(message, self._texts.spam_usage)


def _press_of(query: CallbackQuery) -> Press | None:
    """None for no data at all, which passes every pattern."""
    match = _PRESS.fullmatch(query.data or "")
    if match is None:
        return None
    return Press(verdict=_VERDICTS[match["code"]], token=match["token"], last_id=int(match["last_id"]))
