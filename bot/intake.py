"""Durable intake: updates are stored, then acknowledged, then handled one by one.

python-telegram-bot's own updater confirms a batch while it is still in memory and loses it in a crash
(measured), so its Application runs here without one.
"""

import asyncio
import json
import logging
from collections.abc import Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

from telegram import Bot, Update
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError
from telegram.ext import Application, CallbackContext
from telegram.request import BaseRequest

from agent.clock import Clock
from agent.errors import RowRefused, StorageError
from agent.jsontext import clean, dumps
from agent.outgoing import Lane, Note
from bot.gateway import retry_seconds
from bot.ports import BotStore, BotTransaction, Commit, StoredUpdate
from bot.texts import Texts

log = logging.getLogger(__name__)

ALLOWED_UPDATES = ["message", "edited_message", "callback_query", "my_chat_member"]
LONG_POLL_SECONDS = 50
BATCH = 100
# Telegram keeps presses for so long (Bot API); those made during a longer outage are gone.
PRESSES_LAST_MS = 150_000
HEARTBEAT_MS = 30_000
# So often an update may fail before it is set aside.
ATTEMPTS = 5
# Of an integer in SQLite.
LARGEST_ID = 2**63 - 1
# A conflict that lasts is worth a word; one at start is the long poll of our predecessor.
CONFLICTS_UNTIL_TOLD = 3

AnyApplication = Application[Any, Any, Any, Any, Any, Any]


class Inbox:
    """Stores updates and handles them in order; one that keeps failing is set aside."""

    def __init__(
        self, *, store: BotStore, application: AnyApplication, group_id: int, texts: Texts, clock: Clock
    ) -> None:
        self._store = store
        self._application = application
        self._group_id = group_id
        self._texts = texts
        self._clock = clock
        self._wake = asyncio.Event()
        self._failure: Exception | None = None
        application.add_error_handler(self._note_failure)
        store.subscribe(self._committed)

    def _committed(self, commit: Commit) -> None:
        if commit.received:
            self._wake.set()

    async def _note_failure(self, _: object, context: CallbackContext[Any, Any, Any, Any]) -> None:
        """The application swallows what handlers raise: keep it for the count of attempts."""
        self._failure = context.error

    async def receive(self, updates: Sequence[Any]) -> list[int]:
        """Commit raw updates; once this returns, those whose ids come back may be acknowledged.

        Whatever the server sent: what is no update is left out, and what no database can hold is cleaned.
        """
        rows = [(update["update_id"], dumps(clean(update))) for update in updates if _is_update(update)]
        await self._store.transaction(lambda tx: tx.inbox.receive(rows, self._clock()))
        return [update_id for update_id, _ in rows]

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            self._wake.clear()
            try:
                handled = await self._handle_batch()
            except StorageError as error:
                log.error("updates wait: %s", error)
                await asyncio.sleep(1)
                continue
            if not handled:
                await self._wake.wait()

    async def _handle_batch(self) -> int:
        updates = await self._store.read(lambda tx: tx.inbox.new(BATCH))
        for update in updates:
            await self._handle(update)
        return len(updates)

    async def _handle(self, stored: StoredUpdate) -> None:
        self._failure = None
        try:
            await self._application.process_update(_parsed(stored.raw, self._application.bot))
        except StorageError:
            raise
        except Exception as error:  # whatever Telegram sent, the next update has to be handled
            self._failure = error
        if isinstance(self._failure, StorageError) and not isinstance(self._failure, RowRefused):
            raise self._failure
        if self._failure is None:
            await self._store.transaction(lambda tx: tx.inbox.done(stored.update_id), durable=False)
        else:
            await self._count_failure(stored, self._failure)

    async def _count_failure(self, stored: StoredUpdate, failure: Exception) -> None:
        """Count it; the operators are told in the same transaction if the update is set aside now."""
        log.error("update %d failed", stored.update_id, exc_info=failure)
        words = type(failure).__name__
        text = self._texts.parked.format(attempts=ATTEMPTS, update=stored.update_id, error=words)
        note = Note(chat_id=self._group_id, text=text, lane=Lane.CARDS, silent=False)

        def count(tx: BotTransaction) -> bool:
            parked = tx.inbox.failed(stored.update_id, words, limit=ATTEMPTS)
            if parked:
                tx.notes.add(note, self._clock())
            return parked

        if not await self._store.transaction(count):
            await asyncio.sleep(0.2)


def _is_update(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("update_id"), int)
        and abs(value["update_id"]) <= LARGEST_ID
    )


def _last_poll(tx: BotTransaction) -> int:
    """0 if Telegram was never reached."""
    return tx.inbox.last_poll() or 0


def _parsed(raw: str, bot: Bot) -> Update:
    return Update.de_json(json.loads(raw), bot)


class Heartbeat:
    """Keeps the time at which updates last could come, over restarts.

    Presses do not survive a longer outage: after one the open cards are posted anew.
    """

    def __init__(self, store: BotStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._last = 0
        self._stored = 0

    async def beat(self, asked: int) -> int:
        """Updates come, as was asked at `asked`; the time now."""
        before, self._last = self._last or await self._store.read(_last_poll), self._clock()
        if before and asked - before > PRESSES_LAST_MS:
            count = await self._store.transaction(lambda tx: tx.cards.repost_open())
            seconds = (asked - before) // 1000
            log.warning("Telegram was out of reach for %d s; %d cards are posted anew", seconds, count)
        if self._last - self._stored > HEARTBEAT_MS:
            self._stored = self._last
            await self._store.transaction(lambda tx: tx.inbox.polled(self._stored), durable=False)
        return self._last

    async def keep(self) -> None:
        """Until cancelled: beat while Telegram posts to us by itself."""
        while True:
            try:
                await self.beat(self._clock())
            except StorageError as error:
                log.error("the time cannot be kept: %s", error)
            await asyncio.sleep(HEARTBEAT_MS / 1000 + 1)


class Poller:
    """getUpdates in a loop: store, then confirm by the next offset.  `last_success` is for the watchdog."""

    def __init__(
        self, *, bot: Bot, request: BaseRequest, inbox: Inbox, heartbeat: Heartbeat, clock: Clock
    ) -> None:
        self._bot = bot
        self._request = request
        self._inbox = inbox
        self._heartbeat = heartbeat
        self._clock = clock
        self._offset: int | None = None
        self._faults = 0
        self._conflicts = 0
        self.last_success = 0
        self.started = clock()
        self.fault: str | None = None

    async def run(self) -> None:
        """Until cancelled.  No answer of Telegram ends it: even a 401 may be a passing fault of a proxy."""
        while True:
            try:
                await self._round()
            except StorageError as error:
                await self._pause(f"updates are not confirmed, since they cannot be stored: {error}", 1.0)
            except RetryAfter as error:
                await self._pause("Telegram asks to slow down", retry_seconds(error))
            except Conflict as error:
                await self._conflict(error)
            except InvalidToken:
                await self._pause("Telegram does not know the bot's token: check TELEGRAM_BOT_TOKEN", None)
            except Exception as error:  # whatever a server or proxy sends, the next poll may be fine
                await self._pause(f"Telegram gave no updates: {type(error).__name__}", None)

    async def _round(self) -> None:
        """One poll.  The first, and the first after a fault, does not wait: its answer is news by itself."""
        asked = self._clock()
        query: dict[str, Any] = {
            "timeout": LONG_POLL_SECONDS if self.last_success and self.fault is None else 0,
            "limit": BATCH,
            "allowed_updates": dumps(ALLOWED_UPDATES),
        }
        if self._offset is not None:
            query["offset"] = self._offset
        updates = await self._request.post(
            f"{self._bot.base_url}/getUpdates?{urlencode(query)}", read_timeout=LONG_POLL_SECONDS + 10
        )
        if not isinstance(updates, list):
            raise TypeError("getUpdates gave no list")
        if updates:
            ids = await self._inbox.receive(updates)
            self._offset = max(ids) + 1  # ValueError if there was no update among them
        self._faults = self._conflicts = 0
        self.fault = None
        self.last_success = await self._heartbeat.beat(asked)

    async def _conflict(self, error: Conflict) -> None:
        self._conflicts += 1
        if "webhook" in error.message.lower():
            with suppress(TelegramError, KeyError):
                await self._bot.delete_webhook()
            await self._pause(
                "a webhook was set for this bot; it is removed, since PUBLIC_URL is not set", 1.0
            )
        elif self._conflicts >= CONFLICTS_UNTIL_TOLD:
            await self._pause(
                "another program polls with the same bot token: stop it, or use another bot", 5.0
            )
        else:
            await asyncio.sleep(1.0)

    async def _pause(self, fault: str, seconds: float | None) -> None:
        if fault != self.fault:
            log.error("%s", fault)
        self.fault = fault
        self._faults += 1
        await asyncio.sleep(min(0.5 * 2 ** min(self._faults, 6), 30.0) if seconds is None else seconds)
