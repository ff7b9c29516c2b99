"""/pause and /resume: the manual stop, in the hands of admins."""

from html import escape
from typing import Any

from telegram import Message, Update, User
from telegram.ext import BaseHandler, CallbackContext, CommandHandler, filters

from agent import pauses
from agent.clock import Clock
from agent.engine import Engine
from bot.cards import CardStyle
from bot.desk import Desk, answer_to, person_of
from bot.ports import BotStore, BotTransaction
from bot.settings import Settings

Context = CallbackContext[Any, Any, Any, Any]


class Stopping:
    """Handlers of the manual stop.  It and the answer are one transaction: what was told is so."""

    def __init__(
        self,
        *,
        store: BotStore,
        engine: Engine,
        desk: Desk,
        settings: Settings,
        style: CardStyle,
        clock: Clock,
    ) -> None:
        self._store = store
        self._engine = engine
        self._desk = desk
        self._settings = settings
        self._style = style
        self._clock = clock

    def handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        groups = filters.ChatType.GROUPS & filters.UpdateType.MESSAGE
        return [
            CommandHandler("pause", self._on_pause, filters=groups),
            CommandHandler("resume", self._on_resume, filters=groups),
        ]

    async def _on_pause(self, update: Update, _: Context) -> None:
        await self._turn(update, paused=True)

    async def _on_resume(self, update: Update, _: Context) -> None:
        await self._turn(update, paused=False)

    async def _turn(self, update: Update, *, paused: bool) -> None:
        asked = self._desk.asked(update)
        if asked is None:
            return
        message, user = asked
        if refusal := self._refusal(user):
            await self._desk.answer(message, refusal)
        else:
            await self._store.transaction(lambda tx: self._apply(tx, message, user, paused=paused))

    def _refusal(self, user: User) -> str | None:
        """Why this person may not, if so: without named admins nobody may."""
        texts, admins = self._style.texts, self._settings.admin_ids
        if not admins:
            return texts.stop_no_admins
        return None if user.id in admins else texts.stop_only_admins

    def _apply(self, tx: BotTransaction, message: Message, user: User, *, paused: bool) -> None:
        at = self._clock()
        person = person_of(user)
        turned = self._engine.switch(tx, paused=paused, person=person)
        tx.notes.add(answer_to(message, self._words(turned, paused=paused)), at)

    def _words(self, turned: pauses.Turned, *, paused: bool) -> str:
        texts = self._style.texts
        if turned.changed:
            words = texts.stop_paused if paused else texts.stop_resumed
        else:
            words = texts.stop_paused_already if paused else texts.stop_running_already
        switch = turned.switch
        who = escape(switch.by.name) if switch else "–"
        return words.format(
            who=who, time=self._style.time(switch.at if switch else None), count=turned.open_runs
        )
