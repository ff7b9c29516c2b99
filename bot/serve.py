"""`lead-agent serve`: the bot, until a signal ends it."""

import asyncio
import signal
from contextlib import suppress

from bot.app import serving
from bot.logs import configure
from bot.settings import Settings


def serve() -> int:
    """Serve until SIGTERM or SIGINT; 0 after an orderly stop."""
    settings = Settings.load_for_serving()
    configure(settings.log_level, list(settings.secrets.values()))
    asyncio.run(_until_stopped(settings))
    return 0


async def _until_stopped(settings: Settings) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    served = asyncio.create_task(_serve(settings))
    stopping = asyncio.create_task(stop.wait())
    await asyncio.wait({served, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    served.cancel()  # also while Telegram cannot be reached yet
    with suppress(asyncio.CancelledError):
        await served


async def _serve(settings: Settings) -> None:
    async with serving(settings) as app:
        await app.until(asyncio.Event())
