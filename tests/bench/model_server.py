"""A model's server in a process of its own, so thin that it never is what is waited for.

It knows the three turns of the workload and tells them apart by the replies already in the transcript.
"""

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.bench.workload import TURNS

_REPLY = re.compile(rb'"role": ?"assistant"')
_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)\r\n", re.IGNORECASE)


# What the Messages API documents that its answers carry.
_LIMITS = "".join(
    f"anthropic-ratelimit-{kind}-limit: 400000\r\n"
    f"anthropic-ratelimit-{kind}-remaining: 399000\r\n"
    f"anthropic-ratelimit-{kind}-reset: 2026-11-30T12:00:00Z\r\n"
    for kind in ("requests", "tokens", "input-tokens", "output-tokens")
)


def _answer(number: int) -> bytes:
    body = json.dumps(TURNS[number]).encode()
    head = (
        "HTTP/1.1 200 OK\r\nDate: Mon, 30 Nov 2026 12:00:00 GMT\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nrequest-id: req_bench\r\nanthropic-organization-id: org_bench\r\n"
    )
    return f"{head}{_LIMITS}\r\n".encode() + body


_ANSWERS = [_answer(number) for number in range(len(TURNS))]


class _Connection(asyncio.Protocol):
    """HTTP/1.1 with keep-alive; requests with a Content-Length only, which both transports send."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._received = b""

    def data_received(self, data: bytes) -> None:
        self._received += data
        head, separator, body = self._received.partition(b"\r\n\r\n")
        if not separator:
            return
        length = _LENGTH.search(head + b"\r\n")
        assert length is not None, "a request without Content-Length"
        if len(body) >= int(length[1]):
            self._received = b""
            self._transport.write(_ANSWERS[len(_REPLY.findall(body))])


async def _serve() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(_Connection, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)  # noqa: T201  (the parent reads it)
    async with server:
        await loop.run_in_executor(None, sys.stdin.read)  # until the parent closes it


@asynccontextmanager
async def serving() -> AsyncIterator[str]:
    """The URL of such a server in a child process, ended with the block."""
    pipe = asyncio.subprocess.PIPE
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.model_server", stdin=pipe, stdout=pipe
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(await child.stdout.readline())}"
    finally:
        child.stdin.close()
        await child.wait()


if __name__ == "__main__":
    asyncio.run(_serve())
