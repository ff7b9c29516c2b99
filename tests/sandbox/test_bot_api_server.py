"""Serving inside the test's own event loop."""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import AsyncExitStack

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from bot.sandbox.bot_api import bot_api_app
from bot.sandbox.server import reset, serve
from bot.sandbox.world import World


async def test_leaving_ends_long_polls_and_streams_at_once(world: World) -> None:
    """Nobody waits out a poll of 50 seconds."""
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(httpx.AsyncClient(trust_env=False))
        async with serve(bot_api_app(world)) as url:
            stream = await stack.enter_async_context(
                client.stream("GET", f"{url}/sandbox/events", timeout=60)
            )
            lines = stream.aiter_lines()
            assert await anext(lines) == ": listening"
            polling = f"{url}/bot{world.token}/getUpdates?timeout=50"
            poll = asyncio.create_task(client.get(polling, timeout=60))
            await world.until(lambda: world.calls)
            begun = time.monotonic()
        assert time.monotonic() - begun < 0.9
        with pytest.raises(httpx.TransportError):
            await poll
        with pytest.raises(httpx.TransportError):
            await anext(line async for line in lines if line)


async def test_no_signal_handlers(world: World) -> None:
    """They belong to the program."""
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    async with serve(bot_api_app(world)):
        assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


async def test_a_taken_port_is_told(world: World) -> None:
    """As OSError, before anything runs; a freed one can be had again at once."""
    async with serve(bot_api_app(world)) as url:
        port = int(url.rpartition(":")[2])
        with pytest.raises(OSError, match="in use"):
            async with serve(bot_api_app(World()), port=port):
                pass
    async with serve(bot_api_app(World()), port=port) as again:
        assert again == url


async def test_reset_gives_no_answer() -> None:
    """The client sees a broken connection; others are untouched."""

    async def broken(request: Request) -> Response:
        await request.body()
        return await reset(request)

    async def sound(request: Request) -> Response:
        return PlainTextResponse("ok")

    app = Starlette(routes=[Route("/broken", broken, methods=["POST"]), Route("/sound", sound)])
    async with serve(app) as url, httpx.AsyncClient(trust_env=False) as client:
        assert (await client.get(f"{url}/sound")).text == "ok"
        with pytest.raises(httpx.ReadError):
            await client.post(f"{url}/broken", json={})
        assert (await client.get(f"{url}/sound")).text == "ok"
