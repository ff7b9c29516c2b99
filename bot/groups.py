"""What happens to the operators' group itself: it becomes a supergroup, the bot is thrown out."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from telegram import ChatMember, Update
from telegram.ext import BaseHandler, CallbackContext, ChatMemberHandler, MessageHandler, filters

from bot.gateway import Gateway

log = logging.getLogger(__name__)
Context = CallbackContext[Any, Any, Any, Any]


class Groups:
    """Handlers of service messages."""

    def __init__(
        self, *, gateway: Gateway, group_id: int, on_rights: Sequence[Callable[[ChatMember], None]]
    ) -> None:
        """on_rights: each is told what the bot is in the operators' group when that changes."""
        self._gateway = gateway
        self._group_id = group_id
        self._on_rights = on_rights

    def handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        return [
            MessageHandler(filters.StatusUpdate.MIGRATE, self._on_migration),
            ChatMemberHandler(self._on_membership, ChatMemberHandler.MY_CHAT_MEMBER),
        ]

    async def _on_migration(self, update: Update, _: Context) -> None:
        """Both groups tell of it, the old one with the new id and the new one with the old id."""
        message = update.message
        if message is None:
            return
        if message.migrate_to_chat_id:
            await self._follow(message.chat_id, message.migrate_to_chat_id)
        elif message.migrate_from_chat_id:
            await self._follow(message.migrate_from_chat_id, message.chat_id)

    async def _follow(self, old_id: int, new_id: int) -> None:
        if old_id == self._group_id and self._gateway.resolve(old_id) != new_id:
            await self._gateway.remember_migration(old_id, new_id)

    async def _on_membership(self, update: Update, _: Context) -> None:
        change = update.my_chat_member
        if change is None or change.chat.id != self._gateway.resolve(self._group_id):
            return
        for tell in self._on_rights:
            tell(change.new_chat_member)
        status = change.new_chat_member.status
        if status in ("kicked", "left"):
            log.critical("the bot was removed from the operators' group: add it again, cards wait until then")
        else:
            log.info("the bot is %s in the operators' group", status)
