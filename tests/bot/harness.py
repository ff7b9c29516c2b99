"""A whole office for tests: the served bot between the two stand-ins, over real HTTP, its rows in a file."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from agent.clock import Clock, now
from agent.journal import Record
from agent.jsontext import JsonObject
from agent.limits import cost
from agent.views import run_object
from bot.app import App, serving
from bot.sandbox.bot_api import bot_api_app
from bot.sandbox.chats import Message, User
from bot.sandbox.faults import Fault, FaultKind
from bot.sandbox.messages_api import MessagesApp, messages_app
from bot.sandbox.script import Call, Script, call, say, turn
from bot.sandbox.server import serve
from bot.sandbox.state import Answer
from bot.sandbox.world import World
from bot.settings import Settings
from storage.store import open_reader
from tests.bot.description import faults_of_calls

T = TypeVar("T")

HELLO = "Hello! A manager will call you today about the CRM."
NEED = "We need a CRM for our clinic."
APPROVE, DENY = "Approve", "Deny"


def reply(text: str = HELLO) -> Call:
    """The model wants to write to the lead."""
    return call("send_reply", {"text": text})


def replying(text: str = HELLO) -> Script:
    """A model that asks for one reply and is done."""
    return Script([turn(reply(text)), turn(say("Done."))])


def escalating(reason: str = "Unclear what is needed.") -> Script:
    """A model that hands every lead over."""
    return Script([turn(call("escalate_to_manager", {"reason": reason})), turn(say("Handed over."))])


def text_of(message: Message) -> str:
    return str(message.body.get("text", ""))


def buttons_of(message: Message) -> list[JsonObject]:
    rows = message.body.get("reply_markup", {}).get("inline_keyboard", [])
    return [button for row in rows for button in row]


def labels_of(message: Message) -> list[str]:
    return [button["text"] for button in buttons_of(message)]


def data_of(message: Message, label: str) -> str:
    """The callback data of the button whose label holds `label`."""
    (found,) = [button for button in buttons_of(message) if label in button["text"]]
    return str(found["callback_data"])


def block_of(message: Message, kind: str = "pre") -> str:
    """What stands in the message's last block of that kind; offsets count UTF-16 units."""
    entity = [entity for entity in message.body["entities"] if entity["type"] == kind][-1]
    units = message.body["text"].encode("utf-16-le")
    begin, end = entity["offset"], entity["offset"] + entity["length"]
    return str(units[begin * 2 : end * 2], "utf-16-le")


@dataclass(kw_only=True)
class Office:
    """The stand-ins, the people, and the bot while it is served."""

    world: World
    api: MessagesApp
    telegram_url: str
    model_url: str
    path: Path
    overrides: dict[str, Any]
    olga: User
    igor: User
    records: list[Record] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    refusals_expected: bool = False
    _serving: AsyncExitStack | None = None
    _app: App | None = None

    # --- the bot

    def settings(self, **overrides: Any) -> Settings:
        """Settings made here alone: quick, quiet towards leads, and English."""
        given: dict[str, Any] = {
            "telegram_bot_token": self.world.token,
            "telegram_api_url": self.telegram_url,
            "operators_chat_id": self.group_id,
            "operator_ids": f"{self.olga.id}, {self.igor.id}",
            "anthropic_api_key": "test-key",
            "anthropic_base_url": self.model_url,
            "database_url": f"sqlite:///{self.path}",
            "language": "en",
            "time_zone": "UTC",
            "http_port": 0,
            "burst_quiet": "20ms",
            "undo_seconds": 0,
            "deny_reason_wait": "0s",
            "greeting": "off",
            "acknowledgement": "off",
            "reaction": "off",
            "pinned": "off",
            "group_messages_per_minute": 1000,
            "private_messages_per_second": 1000,
            "model_calls_per_day": 0,
        }
        return Settings.load(_env_file=None, **{**given, **self.overrides, **overrides})

    async def start(self, *, clock: Clock = now, **overrides: Any) -> None:
        self._serving = AsyncExitStack()
        self._app = await self._serving.enter_async_context(
            serving(self.settings(**overrides), on_record=self._on_record, clock=clock)
        )
        self._app.store.subscribe(lambda _: self.world.changed())

    async def stop(self) -> None:
        if self._serving is not None:
            serving, self._serving = self._serving, None
            await serving.aclose()

    async def restart(self, **overrides: Any) -> None:
        await self.stop()
        await self.start(**overrides)

    @property
    def app(self) -> App:
        assert self._app is not None
        return self._app

    @property
    def url(self) -> str:
        """Of the bot's own web server."""
        return f"http://127.0.0.1:{self.app.web.port}"

    def _on_record(self, record: Record) -> None:
        self.records.append(record)
        self.world.changed()

    # --- people

    @property
    def group_id(self) -> int:
        return self.world.group.id

    def lead(self, name: str = "Dana", text: str = NEED, **person: Any) -> User:
        """A new person who writes to the bot."""
        user = self.world.add_person(name, **{"language_code": "en", **person})
        self.world.say(user, text)
        return user

    def press(self, card: Message, label: str, user: User | None = None, **extra: Any) -> str:
        """Press a button of a card; the id of the press comes back."""
        chat_id = card.body["chat"]["id"]
        return self.world.press(user or self.olga, chat_id, card.id, data_of(card, label), **extra)

    async def toast(self, query_id: str) -> Answer:
        """What the bot answered to a press."""
        return await self.until(lambda: self.world.queries[query_id].answer, "the answer to a press")

    async def pressed(self, card: Message, label: str, user: User | None = None, **extra: Any) -> Answer:
        """Press, and wait for the answer."""
        return await self.toast(self.press(card, label, user, **extra))

    async def command(self, text: str, user: User | None = None) -> Message:
        """Write a command in the group; what the bot answers to it."""
        asked = self.world.say(user or self.olga, text, chat_id=self.group_id)
        return await self.until(lambda: self.answer_to(asked), f"an answer to {text}")

    async def answered(self, message: Message, words: str, user: User | None = None) -> str:
        """Reply to a message in the group; what the bot answers."""
        asked = self.world.say(user or self.olga, words, chat_id=self.group_id, reply_to=message.id)
        return text_of(await self.until(lambda: self.answer_to(asked), f"an answer to {words[:30]}"))

    def answer_to(self, message_id: int) -> Message | None:
        replies = (
            m for m in self.in_group if m.body.get("reply_to_message", {}).get("message_id") == message_id
        )
        return next(replies, None)

    # --- looking

    async def until(self, predicate: Callable[[], T | None], what: str = "", deadline: float = 30.0) -> T:
        """Wait for a change of the world or a commit that makes `predicate()` true."""
        found = await self.world.until(predicate, deadline, what)
        assert found is not None
        return found

    async def logged(self, *words: str) -> str:
        """The first line of the log that holds all the words."""

        def found() -> str | None:
            return next((line for line in self.log if all(word in line for word in words)), None)

        return await self.until(found, f"in the log: {words}") or ""

    @property
    def in_group(self) -> list[Message]:
        """What the bot posted in the group, oldest first, as it is now."""
        return self.sent_to(self.group_id)

    def sent_to(self, chat_id: int) -> list[Message]:
        """What the bot posted in a chat, without service messages."""
        chat = self.world.chats.get(chat_id)
        messages = chat.messages.values() if chat else ()
        bot_id = self.world.me.id
        return [
            m
            for m in messages
            if m.body.get("from", {}).get("id") == bot_id and m.body.keys() & {"text", "document"}
        ]

    def texts_to(self, user: User) -> list[str]:
        return [text_of(message) for message in self.sent_to(user.id)]

    def cards(self, *words: str) -> list[Message]:
        """Messages of the group that hold all the words."""
        return [m for m in self.in_group if all(word in text_of(m) for word in words)]

    def waiting(self, *words: str) -> list[Message]:
        """Cards that can be decided."""
        return [
            card for card in self.cards(*words) if any("✅ Approve" in label for label in labels_of(card))
        ]

    async def card(self, *words: str) -> Message:
        """The first card that can be decided and holds the words."""
        return (await self.until(lambda: self.waiting(*words), f"a card to decide: {words}"))[0]

    async def shown(self, *words: str) -> Message:
        """The first message of the group that holds the words."""
        return (await self.until(lambda: self.cards(*words), f"in the group: {words}"))[0]

    async def shows(self, card: Message, *words: str) -> Message:
        """Wait until that very message holds the words."""
        return await self.until(
            lambda: card if all(word in text_of(card) for word in words) else None, f"on the card: {words}"
        )

    async def replied(self, user: User, text: str = HELLO) -> None:
        await self.until(lambda: text in self.texts_to(user), f"the reply {text[:40]!r}")

    async def ended(self, run_id: int = 1) -> str:
        """Wait for the end of a run; its status."""
        return str(
            await self.until(
                lambda: self.value(
                    "SELECT status FROM runs WHERE id = ? AND finished_at IS NOT NULL", run_id
                ),
                f"the end of run-{run_id}",
            )
        )

    async def rests(self) -> None:
        """Wait until all cards are up to date; the answer to a command shows that the outbox moved on."""
        async with asyncio.timeout(10):
            while self.value("SELECT count(*) FROM cards WHERE dirty"):
                await self.command("/help")

    def calls(self, method: str) -> list[JsonObject]:
        """Parameters of the bot's calls of a method."""
        return [call.params for call in self.world.calls if call.method == method]

    # --- rows

    def rows(self, sql: str, *parameters: Any) -> list[Any]:
        """Read or write behind the bot's back, with a connection of one's own."""
        with closing(sqlite3.connect(self.path, timeout=5)) as connection, connection:
            return connection.execute(sql, parameters).fetchall()

    def value(self, sql: str, *parameters: Any) -> Any:
        """The first column of the first row; None without one."""
        found = self.rows(sql, *parameters)
        return found[0][0] if found else None

    async def show(self, run_id: int = 1) -> JsonObject:
        """What `lead-agent show --json` prints."""
        async with await open_reader(self.path) as reader:
            view = await reader.read(lambda tx: tx.views.run(run_id))
        return run_object(view, cost(view.run.usage, view.model, {}))

    async def proposal(self, run_id: int = 1) -> JsonObject:
        """The latest proposal of a run as JSON."""
        found: JsonObject = (await self.show(run_id))["proposals"][-1]
        return found

    # --- trouble

    def fault(self, kind: FaultKind, method: str | None = None, **fields: Any) -> None:
        """Trouble for the bot's coming calls."""
        self.world.faults.add(Fault(kind=kind, method=method, **fields))


class LogListener(logging.Handler):
    """Keeps the lines of the log, and has everyone look again who waits."""

    def __init__(self, office: Office) -> None:
        super().__init__()
        self._office = office

    def emit(self, record: logging.LogRecord) -> None:
        self._office.log.append(record.getMessage())
        if threading.current_thread() is threading.main_thread():
            self._office.world.changed()


@asynccontextmanager
async def office(
    folder: Path, model: Script | Any = None, *, world: World | None = None, **overrides: Any
) -> AsyncIterator[Office]:
    """Both stand-ins and two operators; the bot is not started yet."""
    world = world or World(webhook_pause=0.01)
    api = messages_app(model or replying())
    async with serve(bot_api_app(world)) as telegram_url, serve(api) as model_url:
        made = Office(
            world=world,
            api=api,
            telegram_url=telegram_url,
            model_url=model_url,
            path=folder / "lead-agent.db",
            overrides=overrides,
            olga=world.add_person("Olga", operator=True),
            igor=world.add_person("Igor", operator=True),
        )
        root, listener = logging.getLogger(), LogListener(made)
        before = root.level
        root.setLevel(logging.WARNING)  # a command that an earlier test ran may have left a quieter one
        root.addHandler(listener)
        try:
            yield made
        finally:
            await made.stop()
            root.removeHandler(listener)
            root.setLevel(before)
    refused = [refusal for refusal in world.refusals if "message is not modified" not in refusal.description]
    assert made.refusals_expected or not refused, refused
    assert not api.violations, api.violations
    assert not (wrong := faults_of_calls(world.calls)), wrong
