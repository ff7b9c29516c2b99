"""The web server: /healthz, Telegram's webhook where PUBLIC_URL is set, and what other parts answer to."""

import asyncio
import hmac
import json
import logging
import socket
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from agent.errors import SettingsError, StorageError

log = logging.getLogger(__name__)

WEBHOOK_PATH = "/telegram/webhook"
LARGEST_UPDATE = 1_000_000
Receive = Callable[[Sequence[Any]], Awaitable[object]]
Faults = Callable[[], Awaitable[list[str]]]


def application(
    *, faults: Faults, receive: Receive, webhook_secret: str | None, others: Sequence[BaseRoute] = ()
) -> Starlette:
    """The routes.  `faults` says what does not move; without a secret there is no webhook route at all."""

    async def healthz(_: Request) -> Response:
        found = await faults()
        return JSONResponse({"ok": not found, "faults": found}, status_code=503 if found else 200)

    async def webhook(request: Request) -> Response:
        """Committed before it is answered; while nothing can be stored Telegram is told to try again."""
        given = request.headers.get("x-telegram-bot-api-secret-token", "")
        if not hmac.compare_digest(given.encode(), (webhook_secret or "").encode()):
            return PlainTextResponse("wrong secret", status_code=401)
        body = await body_of(request, LARGEST_UPDATE)
        if body is None:
            return PlainTextResponse("too large", status_code=413)
        try:
            update = json.loads(body)
        except (ValueError, RecursionError):
            return PlainTextResponse("no JSON", status_code=400)
        try:
            await receive([update])
        except StorageError as error:
            log.error("an update is not confirmed, since it cannot be stored: %s", error)
            return PlainTextResponse("try again", status_code=503)
        return PlainTextResponse("ok")

    routes: list[BaseRoute] = [Route("/healthz", healthz), *others]
    if webhook_secret:
        routes.append(Route(WEBHOOK_PATH, webhook, methods=["POST"]))
    return Starlette(routes=routes)


async def body_of(request: Request, largest: int) -> bytes | None:
    """The body, or None as soon as it is larger than `largest` bytes: no more of it is kept."""
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:20]) > largest:
        return None
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > largest:
            return None
    return bytes(body)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; port 0 takes a free one.  SettingsError if it cannot be had."""
    # With the protocol named, asyncio switches Nagle's algorithm off; else each answer waits 40 ms.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise SettingsError(
            [f"HTTP_HOST, HTTP_PORT: cannot listen on {host}:{port} ({error.strerror})"]
        ) from error
    return listener


class WebServer:
    """Serves until cancelled.

    uvicorn's own `serve` installs signal handlers and wakes ten times a second; the process has its own
    handlers, and an idle bot should be idle.
    """

    def __init__(self, app: Starlette, listener: socket.socket) -> None:
        self.app = app
        self._listener = listener
        self._server = uvicorn.Server(
            uvicorn.Config(
                app,
                lifespan="off",
                log_config=None,
                access_log=False,
                date_header=False,
                server_header=False,
                timeout_graceful_shutdown=3,
            )
        )

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    async def run(self) -> None:
        server = self._server
        server.config.load()
        server.lifespan = server.config.lifespan_class(server.config)
        await server.startup(sockets=[self._listener])
        try:
            await asyncio.Event().wait()
        finally:
            await server.shutdown(sockets=[self._listener])
