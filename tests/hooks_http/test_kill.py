"""kill -9 of the real program while forms are being posted."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import Process
from collections import Counter
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.bot.harness import Office, escalating
from tests.bot.test_web import free_port
from tests.hooks_http.site import Site

LEAD_AGENT = Path(sys.executable).with_name("lead-agent")
POSTS = 60
NEW_POSTS = "SELECT count(*) FROM posts WHERE state = 'new'"
NAMES = (
    "telegram_api_url",
    "operators_chat_id",
    "operator_ids",
    "anthropic_base_url",
    "database_url",
    "language",
)


async def serve(office: Office, port: int, **more: str) -> Process:
    """The real program before the office's stand-ins; `more` are settings by their names."""
    settings = office.settings()
    given = {name.upper(): str(getattr(settings, name)) for name in NAMES} | {
        "TELEGRAM_BOT_TOKEN": office.world.token,
        "ANTHROPIC_API_KEY": "test-key",
        "HTTP_PORT": str(port),
        "GROUP_MESSAGES_PER_MINUTE": "1000",
    }
    return await asyncio.create_subprocess_exec(
        LEAD_AGENT, "serve", env={**os.environ, **given, **more}, stderr=asyncio.subprocess.DEVNULL
    )


async def test_every_request_that_was_acknowledged_is_one_lead(
    stopped: Office, bare_environment: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What got no answer is posted again, as senders do; nothing is lost, nothing doubled."""
    stopped.api.model = escalating()
    port = free_port()
    stopped.overrides["http_port"] = port
    acknowledged: Counter[int] = Counter()
    enough = asyncio.Event()
    async with httpx.AsyncClient(trust_env=False, timeout=10) as client:
        site = Site(office=stopped, client=client, monkeypatch=monkeypatch)
        await site.add()

        async def deliver(number: int) -> None:
            body = {"id": f"web-{number}", "name": f"N{number}", "message": f"Request {number}"}
            while not acknowledged[number]:
                with suppress(httpx.TransportError):
                    if (await site.post(body)).status_code == 200:
                        acknowledged[number] += 1
                        if len(acknowledged) > POSTS // 3:
                            enough.set()
                        return
                await asyncio.sleep(0.05)  # as long as the program is away

        first = await serve(stopped, port)
        deliveries = [asyncio.create_task(deliver(number)) for number in range(POSTS)]
        await asyncio.wait_for(enough.wait(), 30)
        first.kill()
        await first.wait()
        second = await serve(stopped, port)
        try:
            await asyncio.wait_for(asyncio.gather(*deliveries), 30)
            await stopped.until(lambda: stopped.value(NEW_POSTS) == 0, "everything read")
        finally:
            second.kill()
            await second.wait()
        found = (await site.run("leads", "--json")).json
    assert sorted(lead["message"] for lead in found) == sorted(f"Request {n}" for n in range(POSTS))
    assert stopped.value("SELECT count(*) FROM runs") == POSTS
