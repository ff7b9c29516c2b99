"""A website in front of the served bot: its forms post, the company's commands are run beside the bot."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from typing import Any

import httpx
import pytest

from agent.jsontext import JsonObject
from bot.__main__ import main
from tests.bot.harness import Office

JSON = {"content-type": "application/json"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What a command did."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@dataclass(kw_only=True)
class Site:
    """Posts to sources by name; commands run in this process, on a thread of their own."""

    office: Office
    client: httpx.AsyncClient
    monkeypatch: pytest.MonkeyPatch
    urls: dict[str, str] = field(default_factory=dict)

    async def run(self, *argv: str) -> Ran:
        """A command with the settings of the office."""
        settings = self.office.settings()
        for name in ("database_url", "http_port", "language"):
            self.monkeypatch.setenv(name.upper(), str(getattr(settings, name)))
        out, err = StringIO(), StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = await asyncio.to_thread(main, argv)
        return Ran(code=code, out=out.getvalue(), err=err.getvalue())

    async def add(self, name: str = "site", preset: str = "generic", secret: str | None = None) -> JsonObject:
        """A new source, as `source add --json` prints it."""
        given = ("--secret", secret) if secret else ()
        ran = await self.run("source", "add", name, "--preset", preset, *given, "--json")
        assert (ran.code, ran.err) == (0, "")
        added: JsonObject = ran.json
        self.urls[name] = added["url"]
        return added

    async def look(self) -> None:
        """After a restart the bot listens on another port."""
        self.urls = {
            source["name"]: source["url"] for source in (await self.run("source", "list", "--json")).json
        }

    async def post(
        self, body: bytes | JsonObject, name: str = "site", headers: Mapping[str, str] = JSON
    ) -> httpx.Response:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.client.post(self.urls[name], content=content, headers=headers)

    async def leads(self) -> list[JsonObject]:
        """All leads, oldest first, once nothing that was posted waits to be read."""
        async with asyncio.timeout(10):
            while self.office.value("SELECT count(*) FROM posts WHERE state = 'new'"):
                await self.office.app.store.transaction(lambda tx: None)
        ran = await self.run("leads", "--json")
        found: list[JsonObject] = ran.json
        return found[::-1]
