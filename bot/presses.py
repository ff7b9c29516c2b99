"""What is asked before a button does something: who pressed it, and where."""

import logging
from collections.abc import Callable
from typing import Any

from telegram import CallbackQuery, Update
from telegram.ext import CallbackContext

from agent.outgoing import CardKind
from agent.runs import Person
from bot.desk import Desk, person_of
from bot.gateway import Gateway
from bot.ports import BotStore, BotTransaction
from bot.standing import Deciders, Standing, refusal
from bot.texts import Texts
from bot.toasts import Toast

log = logging.getLogger(__name__)
Context = CallbackContext[Any, Any, Any, Any]


class Presses:
    """Where a button's data is no secret the message has to be the very card: see `shows`."""

    def __init__(
        self, *, store: BotStore, desk: Desk, gateway: Gateway, deciders: Deciders, texts: Texts
    ) -> None:
        self._store = store
        self._desk = desk
        self._gateway = gateway
        self._deciders = deciders
        self._texts = texts

    async def answer(
        self, update: Update, context: Context, apply: Callable[[BotTransaction, Person], Toast]
    ) -> None:
        """Have `apply` do what an allowed person pressed, in one transaction, and tell what came of it."""
        query = update.callback_query
        assert query
        user = query.from_user
        standing = await self._deciders.standing(user, context.bot)
        if standing is Standing.STRANGER:
            log.warning("user %d pressed a button and may not decide", user.id)
        toast = refusal(standing, self._texts)
        if toast is None:
            person = person_of(user)

            def take(tx: BotTransaction) -> Toast:
                tx.inbox.done(update.update_id)  # with what it does, so that no crash has it done twice
                return apply(tx, person)

            toast = await self._store.transaction(take)
        await self._gateway.toast(query.id, toast.text, alert=toast.alert)

    def shows(self, tx: BotTransaction, query: CallbackQuery, kind: CardKind, subject: int) -> bool:
        """Whether the pressed message is in the operators' group and shows that very card."""
        message = query.message
        if message is None or not self._desk.is_group(message.chat.id):
            return False
        card = tx.cards.of_message(message.chat.id, message.message_id)
        return card is not None and card.kind is kind and card.subject == subject
