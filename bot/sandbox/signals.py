"""Waiting for a change without asking again and again."""

from __future__ import annotations

import asyncio


class Signal:
    """Wakes everyone who waits. Belongs to one event loop; may be made outside of it."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    def fire(self) -> None:
        """Wake all who wait now."""
        for future in self._waiting:
            if not future.done():
                future.set_result(None)
        self._waiting.clear()

    async def wait(self) -> None:
        """Return at the next `fire`."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(future)
        try:
            await future
        finally:
            self._waiting.discard(future)
