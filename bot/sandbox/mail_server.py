"""A mail server for this machine: what it takes is shown on the page and goes no further."""

from __future__ import annotations

import asyncio
import email
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email import policy
from email.message import EmailMessage
from typing import Final

from aiosmtpd.smtp import SMTP, Envelope, Session

from bot.sandbox.inbox import Inbox

LARGEST: Final = 1_000_000


@asynccontextmanager
async def mail_server(inbox: Inbox, host: str = "127.0.0.1") -> AsyncIterator[int]:
    """Take letters into `inbox` while the block runs; yields the port, a free one."""
    connections: set[asyncio.BaseTransport] = set()

    def connection() -> SMTP:
        return _Connection(_Door(inbox), connections)

    server = await asyncio.get_running_loop().create_server(connection, host, 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for transport in list(connections):
            transport.close()


class _Connection(SMTP):
    """One connection; those that are open can be closed with the server."""

    def __init__(self, door: _Door, connections: set[asyncio.BaseTransport]) -> None:
        super().__init__(door, data_size_limit=LARGEST, enable_SMTPUTF8=True, ident="sandbox")
        self._connections = connections

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._connections.add(transport)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        if self.transport is not None:
            self._connections.discard(self.transport)
        super().connection_lost(error)


class _Door:
    """aiosmtpd's handler."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        content = envelope.original_content or b""
        message = email.message_from_bytes(content, policy=policy.default)
        self._inbox.letter(
            sender=str(message["From"] or envelope.mail_from),
            to=", ".join(envelope.rcpt_tos),
            subject=str(message["Subject"] or ""),
            text=_text(message),
        )
        return "250 taken"


def _text(message: EmailMessage) -> str:
    part = message.get_body(("plain",))
    payload = part.get_payload(decode=True) if part else b""
    return payload.decode(errors="replace") if isinstance(payload, bytes) else ""
