"""The state behind the Bot API: who is there, what was said, what the bot was told and what it called."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Final, TypeVar

from bot.sandbox.chats import Chat, ChatType, Json, Message, User, quoted
from bot.sandbox.entities import to_html
from bot.sandbox.events import Events, EventType
from bot.sandbox.faults import FaultKind, Faults
from bot.sandbox.floods import FloodLimits
from bot.sandbox.signals import Signal
from bot.sandbox.updates import UpdateQueue
from bot.sandbox.webhook import WebhookDelivery

T = TypeVar("T")

DEFAULT_TOKEN: Final = "7000000001:sandbox"  # noqa: S105 - opens nothing but the stand-in
QUERY_SECONDS: Final = 150.0
"""How long a press can be answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """An uploaded file."""

    id: str
    name: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A readable call of the bot, refused or not; `fault` is the trouble it was met with."""

    method: str
    params: Json
    at: float
    fault: FaultKind | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A call that was answered `ok: false` by the rules, not by a fault."""

    method: str
    status: int
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the bot answered to a press."""

    text: str | None = None
    alert: bool = False
    url: str | None = None


@dataclass(slots=True, kw_only=True)
class Query:
    """A press of a button, and its answer once there is one."""

    id: str
    user: User
    data: str
    at: float
    answer: Answer | None = None


@dataclass(slots=True)
class _Counters:
    users: count[int] = field(default_factory=lambda: count(5_000_000_001))
    groups: count[int] = field(default_factory=lambda: count(4_200_000_001))
    supergroups: count[int] = field(default_factory=lambda: count(1_001_234_567_890))
    queries: count[int] = field(default_factory=lambda: count(4_100_000_000_000_000_001))
    files: count[int] = field(default_factory=lambda: count(1))


class State:
    """Everything a Bot API server knows of one bot. Lives in one event loop, in memory.

    `clock` gives seconds since the epoch; `webhook_pause` is the first pause, in seconds, before an update is
    posted again.
    """

    def __init__(
        self,
        *,
        token: str = DEFAULT_TOKEN,
        clock: Callable[[], float] = time.time,
        webhook_pause: float = 1.0,
    ) -> None:
        self.token = token
        self.clock = clock
        bot_id = int(token.partition(":")[0])
        self.me = User(id=bot_id, is_bot=True, first_name="Studio", username="StudioSandboxBot")
        self.users: dict[int, User] = {}
        self.chats: dict[int, Chat] = {}
        self.blocked: set[int] = set()
        self.hidden_profiles: set[int] = set()
        self.calls: list[Call] = []
        self.refusals: list[Refusal] = []
        self.queries: dict[str, Query] = {}
        self.files: dict[str, File] = {}
        self.commands: dict[str, list[Json]] = {}
        self.journal_lines: list[Json] = []
        self.faults = Faults()
        self.floods: FloodLimits | None = None
        self.events = Events()
        self.counters = _Counters()
        self._signal = Signal()
        self.updates = UpdateQueue(clock, self._signal.fire, first_id=910_000_001)
        self.delivery = WebhookDelivery(self.updates, clock, webhook_pause)

    async def until(self, predicate: Callable[[], T], deadline: float = 30.0, what: str = "") -> T:
        """Wait until `predicate()` is true and return what it gave.

        It is asked again after every change of the world. Raises TimeoutError, naming `what`, after
        `deadline` seconds.
        """
        try:
            async with asyncio.timeout(deadline):
                while not (result := predicate()):
                    await self._signal.wait()
        except TimeoutError:
            raise TimeoutError(f"not within {deadline:g} s: {what or predicate}") from None
        return result

    def changed(self) -> None:
        """Have everyone who waits in `until` look again."""
        self._signal.fire()

    def record(self, call: Call) -> None:
        """Note a call."""
        self.calls.append(call)
        self.changed()

    def refuse(self, refusal: Refusal) -> None:
        """Note a refusal."""
        self.refusals.append(refusal)
        self.changed()

    def message(self, chat_id: int, message_id: int) -> Message | None:
        """A message that exists."""
        chat = self.chats.get(chat_id)
        return chat.messages.get(message_id) if chat else None

    def put(
        self,
        chat: Chat,
        author: User,
        content: Json,
        *,
        silent: bool = False,
        reply_keyboard: Json | None = None,
    ) -> Message:
        """Add a message of `author` to a chat; fields of `content` that are None are left out.

        In a topic a message that replies to nothing else replies to the one that opened it.
        """
        body = {
            "message_id": content.get("message_id") or next(chat.ids),
            "from": author.json(),
            "chat": chat.json(),
            "date": int(self.clock()),
            **content,
        }
        body = {key: value for key, value in body.items() if value is not None}
        opener = chat.messages.get(body.get("message_thread_id", 0)) if chat.is_forum else None
        if opener is not None:
            body.setdefault("reply_to_message", quoted(opener))
        message = Message(body=body, silent=silent, reply_keyboard=reply_keyboard)
        chat.messages[message.id] = message
        self._tell(EventType.MESSAGE, chat, message)
        return message

    def edit_message(self, chat: Chat, message: Message, body: Json) -> None:
        """Give a message a new body."""
        message.replace({**body, "edit_date": int(self.clock())})
        self._tell(EventType.EDIT, chat, message)

    def remove(self, chat: Chat, message_id: int) -> None:
        """Delete a message for everyone."""
        chat.deleted.append(chat.messages.pop(message_id))
        chat.pinned = [pinned for pinned in chat.pinned if pinned != message_id]
        self.events.publish(EventType.DELETE, chat_id=chat.id, message_id=message_id)
        self.changed()

    def react(self, chat: Chat, message: Message, emoji: list[str]) -> None:
        """Replace the bot's reactions to a message."""
        message.reactions = emoji
        self.events.publish(EventType.REACTION, chat_id=chat.id, message_id=message.id, reactions=emoji)
        self.changed()

    def answer(self, query: Query, answer: Answer) -> None:
        """Answer a press."""
        query.answer = answer
        self.events.publish(
            EventType.TOAST,
            callback_query_id=query.id,
            user_id=query.user.id,
            text=answer.text,
            alert=answer.alert,
        )
        self.changed()

    def store(self, name: str, content: bytes) -> File:
        """Keep an uploaded file."""
        file = File(id=f"sandbox-file-{next(self.counters.files)}", name=name, content=content)
        self.files[file.id] = file
        return file

    def add_chat(self, chat: Chat) -> Chat:
        """Make a chat known."""
        self.chats[chat.id] = chat
        self.events.publish(EventType.CHAT, chat=chat.json())
        self.changed()
        return chat

    def private_chat(self, user: User) -> Chat:
        """The private chat with a person, begun if there is none."""
        return self.chats.get(user.id) or self.add_chat(
            Chat(id=user.id, type=ChatType.PRIVATE, user=user, members={})
        )

    def _tell(self, kind: EventType, chat: Chat, message: Message) -> None:
        if self.events:
            self.events.publish(kind, chat_id=chat.id, message=view(chat, message))
        self.changed()


def view(chat: Chat, message: Message) -> Json:
    """A message as a page shows it: its text as safe HTML, its topic, its reactions, how it came."""
    body: dict[str, Any] = dict(message.body)
    text = body.get("text", body.get("caption", ""))
    entities = body.get("entities", body.get("caption_entities", []))
    if document := body.get("document"):
        body["document"] = {**document, "url": f"/sandbox/files/{document['file_id']}"}
    if topic := chat.topics.get(body.get("message_thread_id", 0)):
        body["topic"] = topic.name
    if message.reply_keyboard:
        body["reply_markup"] = message.reply_keyboard
    return body | {
        "html": to_html(text, entities),
        "reactions": message.reactions,
        "silent": message.silent,
    }
