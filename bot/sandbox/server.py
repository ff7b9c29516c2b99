"""Serving an ASGI application inside the running event loop, for both stand-ins and their tests."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Final, cast

import uvicorn
from starlette.requests import Request
from starlette.responses import Response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send
    from uvicorn.protocols.http.h11_impl import H11Protocol

LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
"""The names of this machine for itself."""

_RESET = "sandbox.reset"
_RST_ON_CLOSE = struct.pack("ii", 1, 0)  # SO_LINGER with no time: closing sends RST instead of FIN

# How long a request may take to notice that its connection is gone before it is cancelled.
_GRACE_SECONDS = 1.0


@asynccontextmanager
async def serve(app: ASGIApp, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[str]:
    """Run `app` on the current event loop and yield its base URL, `http://host:port` without a slash.

    Port 0 takes a free one; a taken port raises OSError. No signal handler is installed. Leaving the block
    drops every connection, so open long polls and event streams end at once instead of holding up the exit.
    """

    async def resettable(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope.setdefault("extensions", {})[_RESET] = partial(_reset, server, scope, receive)
        await app(scope, receive, send)

    listener = _listen(host, port)
    server = uvicorn.Server(_config(resettable))
    # What `Server.serve` does, without its signal handlers and its loop that wakes ten times a second.
    server.config.load()
    server.lifespan = server.config.lifespan_class(server.config)
    await server.startup(sockets=[listener])
    try:
        yield f"http://{host}:{listener.getsockname()[1]}"
    finally:
        await _stop(server)


async def reset(request: Request) -> Response:
    """Reset the connection of `request` (TCP RST, no answer); return the value for its endpoint to return."""
    await request.scope["extensions"][_RESET]()
    return Response()


def _listen(host: str, port: int) -> socket.socket:
    # asyncio switches Nagle's algorithm off only where the protocol is named, which `socket.create_server`
    # does not do: answers would then wait 40 ms for a delayed acknowledgement.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError:
        listener.close()
        raise
    return listener


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        interface="asgi3",
        lifespan="on",
        ws="none",
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        date_header=False,
        server_header=False,
    )


async def _reset(server: uvicorn.Server, scope: Scope, receive: Receive) -> None:
    for connection in _connections(server):
        if connection.client == scope["client"]:
            sock = connection.transport.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RST_ON_CLOSE)
            connection.transport.abort()
    while (await receive())["type"] != "http.disconnect":
        pass


async def _stop(server: uvicorn.Server) -> None:
    for listening in server.servers:
        listening.close()
    for connection in _connections(server):
        connection.transport.abort()
    if tasks := set(server.server_state.tasks):
        _, hanging = await asyncio.wait(tasks, timeout=_GRACE_SECONDS)
        for task in hanging:
            task.cancel()
        await asyncio.gather(*hanging, return_exceptions=True)
    await server.lifespan.shutdown()


def _connections(server: uvicorn.Server) -> list[H11Protocol]:
    # Every HTTP protocol of uvicorn has the two attributes used here; a union of them has no common type.
    return cast("list[H11Protocol]", list(server.server_state.connections))
