"""A world, its server on a free port, and the Bot API client that the product uses."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright, expect
from telegram import Bot

from bot.sandbox.bot_api import bot_api_app
from bot.sandbox.chats import User
from bot.sandbox.server import serve
from bot.sandbox.world import World
from tests.sandbox.browsing import DEADLINE_MS, FLAGS, chromium


@dataclass(slots=True)
class Clock:
    """Time that passes when it is told to."""

    now: float = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def _durations(monkeypatch: pytest.MonkeyPatch) -> None:
    # python-telegram-bot warns of its older form, a number of seconds.
    monkeypatch.setenv("PTB_TIMEDELTA", "true")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def world(clock: Clock) -> World:
    return World(clock=clock, webhook_pause=0.01)


@pytest.fixture
def dana(world: World) -> User:
    """A lead who has written once."""
    user = world.add_person("Dana")
    world.say(user, "hello")
    return user


@pytest.fixture
def olga(world: World) -> User:
    return world.add_person("Olga", operator=True)


@pytest.fixture
async def url(world: World) -> AsyncIterator[str]:
    async with serve(bot_api_app(world)) as url:
        yield url


@pytest.fixture
async def bot(world: World, url: str) -> AsyncIterator[Bot]:
    async with Bot(world.token, base_url=f"{url}/bot", base_file_url=f"{url}/file/bot") as bot:
        yield bot


@pytest.fixture
async def http(world: World, url: str) -> AsyncIterator[httpx.AsyncClient]:
    """Plain HTTP; relative addresses are methods of the bot."""
    async with httpx.AsyncClient(base_url=f"{url}/bot{world.token}/", trust_env=False) as client:
        yield client


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    path = chromium()
    expect.set_options(timeout=DEADLINE_MS)
    async with async_playwright() as playwright:
        launched = await playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield launched
        await launched.close()
