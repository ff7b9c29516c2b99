"""One clock, passed in.  Times are whole milliseconds since the epoch, UTC."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

Clock = Callable[[], int]


def now() -> int:
    """The wall clock in milliseconds."""
    return time.time_ns() // 1_000_000


def iso(at: int | None) -> str | None:
    """2026-11-30T14:02:05.123+00:00, or None."""
    if at is None:
        return None
    return datetime.fromtimestamp(at / 1000, UTC).isoformat(timespec="milliseconds")
