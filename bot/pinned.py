"""The pinned line of the group: how many cards wait, and the oldest for how long.

It is not posted where the bot may not pin: another message in the group would only be noise.
"""

import asyncio
import logging
from dataclasses import dataclass, replace
from typing import Any

from telegram import ChatMember, ChatMemberAdministrator, ChatMemberOwner, Update
from telegram.ext import BaseHandler, CallbackContext, MessageHandler, filters

from agent.clock import Clock
from agent.errors import ChannelError, StorageError
from agent.outgoing import CardKind, Lane, Line
from bot.cards import CardStyle, linked
from bot.gateway import Gateway, MessageGone
from bot.ports import BotStore, BotTransaction, Commit
from bot.waking import woken

log = logging.getLogger(__name__)
# While something waits, its age is told anew once a minute.
MINUTE = 60.0
SECONDS_AFTER_A_FAULT = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Rights:
    """What the bot may do in the group beside writing."""

    pin: bool = False
    delete: bool = False
    topics: bool = False

    @classmethod
    def of(cls, member: ChatMember) -> "Rights":
        match member:
            case ChatMemberOwner():
                return cls(pin=True, delete=True, topics=True)
            case ChatMemberAdministrator():
                return cls(
                    pin=bool(member.can_pin_messages),
                    delete=member.can_delete_messages,
                    topics=bool(member.can_manage_topics),
                )
        return cls()


class Pinned:
    """Keeps the line true: after each change, and once a minute while something waits."""

    def __init__(
        self, *, store: BotStore, gateway: Gateway, group_id: int, style: CardStyle, clock: Clock, on: bool
    ) -> None:
        """on: False has no line at all; one from before stays as it is."""
        self._store = store
        self._gateway = gateway
        self._group_id = group_id
        self._style = style
        self._clock = clock
        self._on = on
        self._rights: Rights | None = None
        self._changed = asyncio.Event()
        store.subscribe(self._committed)

    def _committed(self, commit: Commit) -> None:
        if commit.outgoing:
            self._changed.set()

    def handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        pins = filters.StatusUpdate.PINNED_MESSAGE & filters.ChatType.GROUPS
        return [MessageHandler(pins, self._on_pin)]

    def learn(self, member: ChatMember) -> None:
        """What the bot is in the group from now on."""
        self._rights = Rights.of(member)
        self._changed.set()

    async def _on_pin(self, update: Update, _: CallbackContext[Any, Any, Any, Any]) -> None:
        """Telegram's own message that the line was pinned only takes room."""
        message = update.message
        if message is None or message.pinned_message is None or not (self._rights and self._rights.delete):
            return
        line = await self._store.read(lambda tx: tx.pinned.get())
        pinned = (message.chat_id, message.pinned_message.message_id)
        if line is not None and pinned == (line.chat_id, line.message_id):
            await self._gateway.delete(message.chat_id, message.message_id)

    async def run(self) -> None:
        """Until cancelled."""
        while self._on:
            self._changed.clear()
            wait = await self._try()
            await woken(self._changed, wait)

    async def _try(self) -> float | None:
        """Bring the line up to date; seconds until it has to be looked at again by itself."""
        try:
            if self._rights is None:
                self._rights = Rights.of(await self._gateway.membership(self._group_id))
            return await self._keep()
        except (ChannelError, StorageError) as error:
            log.warning("the pinned line: %s", error)
            return SECONDS_AFTER_A_FAULT

    async def _keep(self) -> float | None:
        line, text, waits = await self._store.read(self._look)
        if line is None and waits and self._rights and self._rights.pin:
            line = await self._post(text)
        if line is None:
            return None
        if line.text != text:
            line = await self._edit(line, text)
            if line is None:
                return await self._keep()  # somebody deleted it
        if not line.pinned and self._rights and self._rights.pin:
            await self._gateway.pin(line.chat_id, line.message_id, lane=Lane.NOTES)
            await self._store_line(replace(line, pinned=True))
        return MINUTE if waits else None

    def _look(self, tx: BotTransaction) -> tuple[Line | None, str, bool]:
        """The line as it stands in the group as it is now, what it should say, whether anything waits.

        What is not shown yet waits for nobody: the line would only have to be edited at once.
        """
        line, oldest = tx.pinned.get(), tx.views.oldest_open()
        if line is not None and line.chat_id != self._gateway.resolve(self._group_id):
            line = None
        if oldest is None:
            return line, self._style.texts.pinned_none, False
        age = self._style.age(self._clock() - oldest.pending_since)
        card = tx.cards.link(CardKind.PROPOSAL, oldest.card)
        age = linked(age, card)
        count = tx.views.count_open_proposals()
        return line, self._style.texts.pinned.format(count=count, age=age), card is not None

    async def _post(self, text: str) -> Line:
        sent = await self._gateway.send(self._group_id, text, lane=Lane.NOTES, silent=True)
        return await self._store_line(Line(chat_id=sent.chat_id, message_id=sent.message_id, text=text))

    async def _edit(self, line: Line, text: str) -> Line | None:
        try:
            await self._gateway.edit(line.chat_id, line.message_id, text, lane=Lane.NOTES)
        except MessageGone:
            await self._store.transaction(lambda tx: tx.pinned.forget())
            return None
        return await self._store_line(replace(line, text=text))

    async def _store_line(self, line: Line) -> Line:
        await self._store.transaction(lambda tx: tx.pinned.set(line))
        return line
