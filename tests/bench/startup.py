"""How long the program takes to say something, and to listen to Telegram."""

import asyncio
import os
import sys
from pathlib import Path
from statistics import median
from time import perf_counter

from bot.sandbox.bot_api import bot_api_app
from bot.sandbox.server import serve
from bot.sandbox.world import World
from tests.bench.figures import Figure

_PROGRAM = str(Path(sys.executable).with_name("lead-agent"))
_LONGEST = 30.0


async def startup(folder: Path, *, quick: bool) -> list[Figure]:
    """Wall seconds of processes of their own: until --help has ended, until the first getUpdates."""
    times = 3 if quick else 9
    helps = [await _help() for _ in range(times)]
    polls = [await _poll(folder, number) for number in range(times)]
    return [
        Figure(name="lead-agent --help", value=median(helps), unit="s", goal=0.3),
        Figure(name="lead-agent serve to first getUpdates", value=median(polls), unit="s", goal=1.0),
    ]


async def _help() -> float:
    began = perf_counter()
    process = await asyncio.create_subprocess_exec(
        _PROGRAM, "--help", stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
    )
    assert await process.wait() == 0, "--help failed"
    return perf_counter() - began


async def _poll(folder: Path, number: int) -> float:
    """A bot with an empty database against the stand-in for the Bot API."""
    world = World()
    operator = world.add_person("Olga", operator=True)
    async with serve(bot_api_app(world)) as url:
        settings = {
            "TELEGRAM_BOT_TOKEN": world.token,
            "TELEGRAM_API_URL": url,
            "OPERATORS_CHAT_ID": str(world.group.id),
            "OPERATOR_IDS": str(operator.id),
            "ANTHROPIC_API_KEY": "none",
            "DATABASE_URL": f"sqlite:///{folder / f'start-{number}.db'}",
            "HTTP_PORT": "0",
        }
        began = perf_counter()
        process = await asyncio.create_subprocess_exec(
            _PROGRAM,
            "serve",
            cwd=folder,
            env=os.environ | settings,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        try:
            await world.until(lambda: any(call.method == "getUpdates" for call in world.calls), _LONGEST)
            return perf_counter() - began
        finally:
            process.terminate()
            await process.wait()
