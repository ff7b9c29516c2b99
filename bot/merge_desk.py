"""Merges in the operators' group: the buttons on their cards, and /merge."""

from collections.abc import Sequence
from typing import Any

from telegram import Update
from telegram.ext import BaseHandler, CallbackQueryHandler, CommandHandler, filters

from agent.clock import Clock
from agent.contacts import Contact, Merge, MergeReason
from agent.errors import NotFound
from agent.outgoing import CardKind
from agent.runs import Person
from bot.desk import Desk, answer_to, person_of
from bot.merge_card import PREFIX, MergePress
from bot.ports import BotStore, BotTransaction
from bot.presses import Context, Presses
from bot.texts import Texts
from bot.toasts import Toast

_PATTERN = rf"^{PREFIX}:(?P<press>{'|'.join(MergePress)}):(?P<id>\d{{1,18}})$"


class MergeDesk:
    """Each press counts once, whatever another did meanwhile."""

    def __init__(self, *, store: BotStore, desk: Desk, presses: Presses, texts: Texts, clock: Clock) -> None:
        self._store = store
        self._desk = desk
        self._presses = presses
        self._texts = texts.crm
        self._outdated = Toast(text=texts.toast_outdated, alert=True)
        self._clock = clock

    def handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        groups = filters.ChatType.GROUPS & filters.UpdateType.MESSAGE
        return [
            CommandHandler("merge", self._on_merge, filters=groups),
            CallbackQueryHandler(self._on_press, pattern=_PATTERN),
        ]

    # --- the command

    async def _on_merge(self, update: Update, context: Context) -> None:
        asked = self._desk.asked(update)
        if asked is None:
            return
        (message, user), names = asked, context.args or []
        person = person_of(user)

        def apply(tx: BotTransaction) -> None:
            if words := self._answer(tx, names, person):
                tx.notes.add(answer_to(message, words), self._clock())

        await self._store.transaction(apply)

    def _answer(self, tx: BotTransaction, names: Sequence[str], person: Person) -> str | None:
        """None where a card is the answer."""
        match names:
            case [name] if (id := Merge.id_of(name)) is not None:
                return self._show(tx, id)
            case [first, second]:
                winner, loser = Contact.id_of(first), Contact.id_of(second)
                if winner is not None and loser is not None:
                    return self._join(tx, winner, loser, person)
        return self._texts.merge_usage

    def _show(self, tx: BotTransaction, id: int) -> str | None:
        try:
            tx.cards.repost(CardKind.MERGE, tx.merges.get(id).id)
        except NotFound:
            return self._texts.merge_unknown.format(name=Merge.name_of(id))
        return None

    def _join(self, tx: BotTransaction, winner: int, loser: int, person: Person) -> str | None:
        for id in (winner, loser):
            if not tx.merges.knows(id):
                return self._texts.merge_unknown.format(name=Contact.name_of(id))
        if tx.merges.join(winner, loser, MergeReason.PERSON, self._clock(), person=person):
            return None
        names = {"winner": Contact.name_of(winner), "loser": Contact.name_of(loser)}
        return self._texts.merge_already.format(**names)

    # --- buttons

    async def _on_press(self, update: Update, context: Context) -> None:
        query, match = update.callback_query, context.match
        assert query
        assert match
        press, id = MergePress(match["press"]), int(match["id"])

        def apply(tx: BotTransaction, person: Person) -> Toast:
            if not self._presses.shows(tx, query, CardKind.MERGE, id):
                return self._outdated
            return self._apply(tx, tx.merges.get(id), press, person)

        await self._presses.answer(update, context, apply)

    def _apply(self, tx: BotTransaction, merge: Merge, press: MergePress, person: Person) -> Toast:
        texts, at = self._texts, self._clock()
        match press:
            case MergePress.UNDO:
                done, words = tx.merges.undo(merge, person, at), texts.toast_undone
            case MergePress.SAME:
                done, words = tx.merges.decide(merge, person, at, same=True), texts.toast_merged
            case MergePress.APART:
                done, words = tx.merges.decide(merge, person, at, same=False), texts.toast_refused
        return Toast(text=words) if done else Toast(text=texts.toast_decided, alert=True)
