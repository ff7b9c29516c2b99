"""What happens in the world, told to every open page."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

from bot.sandbox.chats import Json


class EventType(StrEnum):
    MESSAGE = "message"
    EDIT = "edit"
    DELETE = "delete"
    REACTION = "reaction"
    TOAST = "toast"
    CHAT = "chat"
    JOURNAL = "journal"
    TYPING = "typing"
    INBOX = "inbox"
    SUBMISSION = "submission"


class Events:
    """Any number of listeners, each with a queue of its own."""

    def __init__(self) -> None:
        self._queues: set[asyncio.Queue[Json]] = set()

    def __bool__(self) -> bool:
        """Whether anyone listens: describing an event for nobody is wasted work."""
        return bool(self._queues)

    def publish(self, kind: EventType, **fields: object) -> None:
        """Tell every listener."""
        for queue in self._queues:
            queue.put_nowait({"type": kind.value, **fields})

    @contextmanager
    def listening(self) -> Iterator[asyncio.Queue[Json]]:
        """A queue that receives every event while the block lasts."""
        queue: asyncio.Queue[Json] = asyncio.Queue()
        self._queues.add(queue)
        try:
            yield queue
        finally:
            self._queues.discard(queue)
