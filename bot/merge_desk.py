"""Buttons on the cards of merges: one person, two people, take it back."""

from typing import Any

from telegram import Update
from telegram.ext import BaseHandler, CallbackQueryHandler

from agent.clock import Clock
from agent.contacts import Merge
from agent.outgoing import CardKind
from agent.runs import Person
from bot.merge_card import PREFIX, MergePress
from bot.ports import BotTransaction
from bot.presses import Context, Presses
from bot.texts import Texts
from bot.toasts import Toast

_PATTERN = rf"^{PREFIX}:(?P<press>{'|'.join(MergePress)}):(?P<id>\d{{1,18}})$"


class MergeDesk:
    """Handler of presses; each counts once, whatever another did meanwhile."""

    def __init__(self, *, presses: Presses, texts: Texts, clock: Clock) -> None:
        self._presses = presses
        self._texts = texts
        self._clock = clock

    def handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        return [CallbackQueryHandler(self._on_press, pattern=_PATTERN)]

    async def _on_press(self, update: Update, context: Context) -> None:
        query, match = update.callback_query, context.match
        assert query
        assert match
        press, id = MergePress(match["press"]), int(match["id"])

        def apply(tx: BotTransaction, person: Person) -> Toast:
            if not self._presses.shows(tx, query, CardKind.MERGE, id):
                return Toast(text=self._texts.toast_outdated, alert=True)
            return self._apply(tx, tx.merges.get(id), press, person)

        await self._presses.answer(query, context, apply)

    def _apply(self, tx: BotTransaction, merge: Merge, press: MergePress, person: Person) -> Toast:
        texts, at = self._texts.crm, self._clock()
        match press:
            case MergePress.UNDO:
                done, words = tx.merges.undo(merge, person, at), texts.toast_undone
            case MergePress.SAME:
                done, words = tx.merges.decide(merge, person, at, same=True), texts.toast_merged
            case MergePress.APART:
                done, words = tx.merges.decide(merge, person, at, same=False), texts.toast_refused
        return Toast(text=words) if done else Toast(text=texts.toast_decided, alert=True)
