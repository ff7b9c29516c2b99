"""A program of the company's own that takes signed webhooks, over real HTTP on this machine."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from standardwebhooks import Webhook
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from agent.jsontext import JsonObject
from bot.sandbox.server import serve

SECRET = "whsec_dGVzdC1zZWNyZXQtdGVzdC1zZWNyZXQtMDAwMDAwMDA="


@dataclass(kw_only=True)
class Receiver:
    """Keeps what it was posted, each signature checked.

    `answers` are given one a request, then 200s.  Clear `door` to hold requests back.
    """

    secret: str = SECRET
    answers: deque[int] = field(default_factory=deque)
    headers: dict[str, str] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    bodies: list[JsonObject] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    last_headers: dict[str, str] = field(default_factory=dict)
    url: str = ""

    def __post_init__(self) -> None:
        self.door = asyncio.Event()
        self.door.set()
        self._came = asyncio.Condition()

    async def take(self, request: Request) -> Response:
        raw = await request.body()
        self.signed(request.headers, raw)
        body = json.loads(raw)
        async with self._came:
            self.ids.append(request.headers["webhook-id"])
            self.bodies.append(body)
            self.raw.append(raw)
            self._came.notify_all()
        await self.door.wait()
        status = self.answers.popleft() if self.answers else 200
        return Response(status_code=status, headers=self.headers)

    def signed(self, headers: Mapping[str, str], raw: bytes) -> None:
        """The signature is what the published library makes; how old it may be is not asked here."""
        moment = datetime.fromtimestamp(int(headers["webhook-timestamp"]), UTC)
        expected = Webhook(self.secret).sign(headers["webhook-id"], moment, raw.decode())
        assert headers["webhook-signature"] == expected
        self.last_headers = dict(headers)

    async def until(self, predicate: Callable[["Receiver"], Any], seconds: float = 10.0) -> None:
        """Wait until what came makes `predicate` true."""
        async with asyncio.timeout(seconds), self._came:
            await self._came.wait_for(lambda: predicate(self))


@asynccontextmanager
async def open_receiver(**fields: Any) -> AsyncIterator[Receiver]:
    receiver = Receiver(**fields)
    app = Starlette(routes=[Route("/hook", receiver.take, methods=["POST"])])
    async with serve(app) as url:
        receiver.url = f"{url}/hook"
        yield receiver
