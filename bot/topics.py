"""One topic of the operators' group for each lead, where the group has topics and the bot may make them.

A row says first that a topic is going to be asked for: where the answer is lost, or the program dies, it may
be there.  It is not asked for again then, for Telegram tells the group of every new topic, and the title of
ours says whose it is.  Whatever stands in the way, the message goes to General.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from telegram import ChatMember, Update
from telegram.ext import BaseHandler, CallbackContext, MessageHandler, filters

from agent.clock import Clock
from agent.contacts import Contact
from agent.errors import ChannelError, NotFound, NotSent, OutcomeUnknown, Undeliverable
from agent.jsontext import one_line
from agent.outgoing import Detour, Lane, Topic, TopicState
from agent.runs import Lead
from bot.gateway import Gateway, TopicClosed, TopicShut
from bot.ports import BotStore, BotTransaction
from bot.waking import woken

log = logging.getLogger(__name__)
T = TypeVar("T")
LONGEST_TITLE = 128
# So long the group may take to tell of a topic whose making was not answered.
SECONDS_UNTIL_TOLD = 2.0
# After so long without a word from the group the topic was not made.
NOT_MADE_MS = 600_000
# A longer wait than this for a topic would keep a card from being seen.
LONGEST_WAIT = 15.0
# How long a refusal stands: it is the group's state, which changes seldom and by people.
REFUSED_MS = 600_000
_TITLE = re.compile(r" · L-(\d{1,18})\Z", re.ASCII)
# How the Bot API server names them.
_REFUSALS = {
    "not a forum": Detour.NO_FORUM,
    "chat_not_forum": Detour.NO_FORUM,
    "not enough rights": Detour.NO_RIGHT,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """To whom a topic belongs, and how it is called when it is made."""

    contact_id: int
    title: str

    @classmethod
    def of(cls, lead: Lead, contact: Contact) -> "Owner":
        """Contacts that are one person have the topic of the one that stands for them."""
        number = f" · {lead.lead_id}"
        name = one_line(lead.name)[: LONGEST_TITLE - len(number)]
        return cls(contact_id=contact.standing, title=name + number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a message goes: a topic, or General.

    detour: why to General although it belongs into a topic.  made_anew: the topic before it was deleted.
    """

    thread: int | None = None
    detour: Detour | None = None
    made_anew: bool = False


Send = Callable[[Place], Awaitable[T]]


class Topics:
    """Sends what belongs to a lead into the topic of that lead."""

    def __init__(self, *, store: BotStore, gateway: Gateway, group_id: int, clock: Clock, on: bool) -> None:
        """on: False has no topics at all; everything goes to the group itself."""
        self._store = store
        self._gateway = gateway
        self._group_id = group_id
        self._clock = clock
        self._on = on
        self._told: WeakValueDictionary[int, asyncio.Event] = WeakValueDictionary()
        self._refused: tuple[Detour, int] | None = None
        self._makings: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    def handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        made = filters.StatusUpdate.FORUM_TOPIC_CREATED & filters.ChatType.GROUPS
        return [MessageHandler(made, self._on_made)]

    def learn(self, _: ChatMember) -> None:
        """The bot's rights in the group have changed: what was refused may be allowed now."""
        self._refused = None

    async def send(self, owner: Owner | None, send: Send[T]) -> T:
        """Have `send` bring a message where it belongs; for None that is General.

        A topic that was deleted is made anew, one that was closed is opened again.
        """
        if not self._on or owner is None:
            return await send(Place())
        place = await self._place(owner)
        try:
            return await send(place)
        except TopicShut as error:
            if place.thread is None:
                raise
            place = await self._other_place(owner, place.thread, error)
        try:
            return await send(place)
        except TopicShut:
            if place.thread is None:
                raise
            return await send(Place(detour=Detour.REFUSED))

    async def _other_place(self, owner: Owner, thread: int, error: TopicShut) -> Place:
        if isinstance(error, TopicClosed):
            return await self._reopened(thread)
        group = self._group
        log.warning("a topic of the group is gone (%s): the lead gets another one", error)
        await self._store.transaction(lambda tx: tx.topics.forget(owner.contact_id, group, thread))
        place = await self._place(owner)
        return Place(thread=place.thread, detour=place.detour, made_anew=True)

    async def _reopened(self, thread: int) -> Place:
        try:
            await self._gateway.reopen_topic(self._group, thread, lane=Lane.CARDS)
        except Undeliverable as error:
            log.warning("a closed topic cannot be opened again: %s", error)
            return Place(detour=Detour.CLOSED)
        return Place(thread=thread)

    async def _place(self, owner: Owner) -> Place:
        """The lead's topic, made if there is none; one at a time, so that no lead gets two."""
        lock = self._makings.setdefault(owner.contact_id, asyncio.Lock())
        async with lock:
            topic = await self._known(owner)
            match topic:
                case Topic(state=TopicState.OPEN):
                    return Place(thread=topic.thread_id)
                case Topic() if self._clock() < topic.asked_at + NOT_MADE_MS:
                    return await self._told_of(owner)
            return await self._made(owner)

    async def _known(self, owner: Owner) -> Topic | None:
        group = self._group
        return await self._store.read(lambda tx: tx.topics.of(owner.contact_id, group))

    async def _made(self, owner: Owner) -> Place:
        if self._refused is not None and self._clock() < self._refused[1]:
            return Place(detour=self._refused[0])
        group, at = self._group, self._clock()
        await self._store.transaction(lambda tx: tx.topics.begin(owner.contact_id, group, at))
        try:
            thread = await self._gateway.create_topic(group, owner.title, lane=Lane.CARDS)
        except OutcomeUnknown as error:
            log.warning("a topic was asked for and may be there: %s", error)
            await self._store.transaction(lambda tx: tx.topics.lost(owner.contact_id))
            return await self._told_of(owner)
        except ChannelError as error:
            await self._store.transaction(lambda tx: tx.topics.forget(owner.contact_id, group, None))
            return self._after_refusal(error)
        await self._store.transaction(lambda tx: tx.topics.open(owner.contact_id, self._group, thread))
        return Place(thread=thread)

    def _after_refusal(self, error: ChannelError) -> Place:
        """General, for now; raises a NotSent that is worth waiting for."""
        wait = REFUSED_MS
        if isinstance(error, NotSent):
            if error.retry_after <= LONGEST_WAIT:
                raise error
            detour, wait = Detour.BUSY, int(error.retry_after * 1000)
        else:
            words = str(error).lower()
            detour = next((why for said, why in _REFUSALS.items() if said in words), Detour.REFUSED)
        log.warning("no topic can be made, cards go to General: %s", error)
        self._refused = (detour, self._clock() + wait)
        return Place(detour=detour)

    async def _told_of(self, owner: Owner) -> Place:
        """The topic that may be there, if the group tells of it in time; else General."""
        self._told[owner.contact_id] = told = asyncio.Event()
        topic = await self._known(owner)
        if topic is None or topic.state is not TopicState.OPEN:
            await woken(told, SECONDS_UNTIL_TOLD)
            topic = await self._known(owner)
        if topic is None or topic.state is not TopicState.OPEN:
            return Place(detour=Detour.UNKNOWN)
        return Place(thread=topic.thread_id)

    async def _on_made(self, update: Update, context: CallbackContext[Any, Any, Any, Any]) -> None:
        """Telegram tells of every new topic, of those that the bot made, too."""
        message = update.message
        if message is None or message.forum_topic_created is None or message.chat_id != self._group:
            return
        self._refused = None  # the group has topics
        title = _TITLE.search(message.forum_topic_created.name)
        own = message.from_user is not None and message.from_user.id == context.bot.id
        thread = message.message_thread_id
        if not own or title is None or thread is None:
            return
        await self._store.transaction(lambda tx: self._adopt(tx, int(title[1]), thread))

    def _adopt(self, tx: BotTransaction, lead_id: int, thread: int) -> None:
        try:
            contact_id = tx.contacts.get(tx.leads.get(lead_id).contact_id).standing
        except NotFound:
            return
        tx.topics.adopt(contact_id, self._group, thread)
        told = self._told.get(contact_id)
        if told is not None:
            tx.after_commit(told.set)

    @property
    def _group(self) -> int:
        """The group as it is now."""
        return self._gateway.resolve(self._group_id)
