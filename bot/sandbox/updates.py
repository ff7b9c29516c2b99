"""The queue of updates and the two ways out of it: getUpdates and a webhook."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bot.sandbox.chats import Json
from bot.sandbox.errors import conflict
from bot.sandbox.signals import Signal

MAX_POLL_SECONDS: Final = 50


class UpdateType(StrEnum):
    """The kinds of update the stand-in makes; the value is the field of Update that holds its body."""

    MESSAGE = "message"
    EDITED_MESSAGE = "edited_message"
    CHANNEL_POST = "channel_post"
    CALLBACK_QUERY = "callback_query"
    MY_CHAT_MEMBER = "my_chat_member"


# An unanswered press is kept far shorter than a message.
_LIFETIME_SECONDS: Final = dict.fromkeys(UpdateType, 24 * 3600.0) | {UpdateType.CALLBACK_QUERY: 150.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    id: int
    type: UpdateType
    body: Json
    at: float

    def json(self) -> Json:
        """The Bot API's Update."""
        return {"update_id": self.id, self.type.value: self.body}


@dataclass(slots=True)
class _Poll:
    ended_by: str | None = None


class UpdateQueue:
    """Updates in order until they are confirmed or too old; one consumer at a time.

    `clock` gives seconds since the epoch, `changed` is called after every change.
    """

    def __init__(self, clock: Callable[[], float], changed: Callable[[], None], first_id: int) -> None:
        self._clock = clock
        self._changed = changed
        self._next_id = first_id
        self._pending: deque[Update] = deque()
        self._arrived = Signal()
        self._poll: _Poll | None = None
        self.allowed: frozenset[str] | None = None
        self.webhook_active = False

    def push(self, kind: UpdateType, body: Json) -> int | None:
        """Queue an update and return its id; None if the bot asked not to get this kind."""
        if self.allowed and kind.value not in self.allowed:
            return None
        update = Update(id=self._next_id, type=kind, body=body, at=self._clock())
        self._next_id += 1
        self._pending.append(update)
        self._arrived.fire()
        self._changed()
        return update.id

    def allow(self, kinds: Iterable[str]) -> None:
        """Keep to these kinds from now on; none at all means the default, all that are made here."""
        self.allowed = frozenset(kinds) or None

    def pending(self) -> list[Update]:
        """What waits, oldest first, without what has grown too old."""
        now = self._clock()
        self._pending = deque(u for u in self._pending if now - u.at < _LIFETIME_SECONDS[u.type])
        return list(self._pending)

    def confirm(self, offset: int) -> None:
        """Forget updates below `offset`; a negative one keeps only that many of the latest."""
        before = len(self._pending)
        if offset < 0:
            self._pending = deque(self._pending, maxlen=-offset)
        while offset > 0 and self._pending and self._pending[0].id < offset:
            self._pending.popleft()
        if len(self._pending) != before:
            self._changed()

    async def poll(self, *, offset: int, limit: int, seconds: float) -> list[Json]:
        """getUpdates: wait up to `seconds` for something to give; 409 if another consumer takes over."""
        if self.webhook_active:
            raise conflict(
                "can't use getUpdates method while webhook is active; "
                "use deleteWebhook to delete the webhook first"
            )
        self.confirm(offset)
        self.interrupt(
            "terminated by other getUpdates request; make sure that only one bot instance is running"
        )
        poll = self._poll = _Poll()
        try:
            async with asyncio.timeout(min(seconds, MAX_POLL_SECONDS)):
                while not self.pending() and poll.ended_by is None:
                    await self._arrived.wait()
        except TimeoutError:
            pass
        finally:
            if self._poll is poll:
                self._poll = None
        if poll.ended_by is not None:
            raise conflict(poll.ended_by)
        return [update.json() for update in self.pending()[:limit]]

    async def first(self) -> Update:
        """The oldest update, waiting for it as long as it takes."""
        while not (pending := self.pending()):
            await self._arrived.wait()
        return pending[0]

    def interrupt(self, reason: str) -> None:
        """End the poll that waits now with 409 and this reason."""
        if self._poll:
            self._poll.ended_by = reason
            self._poll = None
            self._arrived.fire()
