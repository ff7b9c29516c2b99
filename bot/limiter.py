"""Telegram's limits: 30 messages a second in all, one a second in a private chat, 20 a minute in a group.

Edits count too.  A 429 holds the one chat it is for.  Source: the Bot API FAQ, "broadcasting to users".
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Callable
from time import monotonic

from agent.outgoing import Lane

OVERALL_PER_SECOND = 30
# Of a group's minute so much is kept for decisions, so that no pile of cards delays them.
KEPT_FOR_DECISIONS = 0.15


class Limiter:
    """Sliding windows per chat; times are in seconds on a monotonic clock."""

    def __init__(
        self,
        *,
        group_per_minute: int = 20,
        private_per_second: int = 1,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._clock = clock
        self._group_per_minute = group_per_minute
        self._private_per_second = private_per_second
        self._overall: deque[float] = deque(maxlen=OVERALL_PER_SECOND)
        self._chats: dict[int, deque[float]] = defaultdict(deque)
        self._held: dict[int, float] = {}

    def hold(self, chat_id: int, seconds: float) -> None:
        """Telegram said so (429 with retry_after)."""
        self._held[chat_id] = self._clock() + seconds

    def delay(self, chat_id: int, lane: Lane) -> float:
        """Seconds until a message of `lane` may go to `chat_id`; 0 for now."""
        now = self._clock()
        waits = [self._held.get(chat_id, 0.0) - now, self._own_delay(chat_id, lane, now)]
        if len(self._overall) == OVERALL_PER_SECOND:
            waits.append(self._overall[0] + 1.0 - now)
        return max(0.0, *waits)

    def _own_delay(self, chat_id: int, lane: Lane, now: float) -> float:
        window, allowed = (1.0, self._in_private(lane)) if chat_id > 0 else (60.0, self._in_group(lane))
        sent = self._chats[chat_id]
        while sent and sent[0] <= now - window:
            sent.popleft()
        return sent[-allowed] + window - now if len(sent) >= allowed else 0.0

    def _in_private(self, lane: Lane) -> int:
        """Telegram lets short bursts pass: an approved reply may follow an acknowledgement at once."""
        return self._private_per_second + (1 if lane is Lane.DECISIONS else 0)

    def _in_group(self, lane: Lane) -> int:
        kept = 0 if lane is Lane.DECISIONS else int(self._group_per_minute * KEPT_FOR_DECISIONS)
        return max(1, self._group_per_minute - kept)

    def take(self, chat_id: int) -> None:
        """A message goes out now."""
        now = self._clock()
        self._overall.append(now)
        self._chats[chat_id].append(now)
        if len(self._chats) > 10_000:  # old private chats: their windows are long over
            self._chats = defaultdict(
                deque, {key: sent for key, sent in self._chats.items() if sent and sent[-1] > now - 60}
            )

    async def wait(self, chat_id: int, lane: Lane) -> None:
        """Sleep until it may go, and take its place."""
        while delay := self.delay(chat_id, lane):  # noqa: ASYNC110  (time itself is awaited)
            await asyncio.sleep(delay)
        self.take(chat_id)
