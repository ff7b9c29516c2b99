"""Telegram's limits on how fast a bot may post."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from dataclasses import dataclass
from typing import Final

from bot.sandbox.chats import Chat, ChatType
from bot.sandbox.errors import too_many_requests

LIMITED_METHODS: Final = frozenset(
    {
        "sendMessage",
        "sendDocument",
        "sendPhoto",
        "copyMessage",
        "editMessageText",
        "editMessageCaption",
        "editMessageReplyMarkup",
    }
)
"""The calls that count. Edits do, as was seen on the real server."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """At most `calls` within any `seconds`."""

    calls: int
    seconds: float


OVERALL: Final = Rate(calls=30, seconds=1)
PRIVATE: Final = Rate(calls=1, seconds=1)
GROUP: Final = Rate(calls=20, seconds=60)


class FloodLimits:
    """Counts what was let through, overall and per chat."""

    def __init__(self) -> None:
        self._times: dict[int | None, deque[float]] = defaultdict(deque)

    def check(self, chat: Chat, now: float) -> None:
        """Let a call through, or raise 429 with the seconds to wait."""
        per_chat = PRIVATE if chat.type is ChatType.PRIVATE else GROUP
        wait = max(self._wait(None, OVERALL, now), self._wait(chat.id, per_chat, now))
        if wait > 0:
            raise too_many_requests(math.ceil(wait))
        self._times[None].append(now)
        self._times[chat.id].append(now)

    def _wait(self, key: int | None, rate: Rate, now: float) -> float:
        times = self._times[key]
        while times and times[0] <= now - rate.seconds:
            times.popleft()
        return times[0] + rate.seconds - now if len(times) >= rate.calls else 0.0
