"""How the bot's loops wait: for what wakes them, and for the time at which something is due."""

import asyncio
from contextlib import suppress


async def woken(event: asyncio.Event, seconds: float | None) -> None:
    """Wait until `event` is set, at most so many seconds; without a number for as long as it takes."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):  # wait_for of Python 3.11 may swallow a cancellation
            await event.wait()
