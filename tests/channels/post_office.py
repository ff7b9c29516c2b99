"""A mail server for tests: aiosmtpd's, on this machine."""

import asyncio
import email
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.smtp import SMTP, Envelope, Session

Answer = str | Callable[[SMTP], str]


def hang_up(server: SMTP) -> str:
    """Cut the line without an answer."""
    assert isinstance(server.transport, asyncio.Transport)
    server.transport.abort()
    return "250 said to nobody"


@dataclass(kw_only=True)
class PostOffice:
    """The handler of a mail server: keeps what it took.  `answers` are given instead of an OK."""

    answers: dict[str, Answer] = field(default_factory=dict)
    taken: list[Envelope] = field(default_factory=list)
    port: int = 0

    @property
    def messages(self) -> list[EmailMessage]:
        return [email.message_from_bytes(content_of(taken), policy=policy.default) for taken in self.taken]

    def _answer(self, command: str, server: SMTP) -> str:
        answer = self.answers.get(command, "250 kept as 1")
        return answer(server) if callable(answer) else answer

    async def handle_MAIL(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, _: Session, envelope: Envelope, address: str, __: list[str]
    ) -> str:
        envelope.mail_from = address
        return self._answer("MAIL", server)

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, _: Session, envelope: Envelope, address: str, __: list[str]
    ) -> str:
        envelope.rcpt_tos.append(address)
        return self._answer("RCPT", server)

    async def handle_DATA(self, server: SMTP, _: Session, envelope: Envelope) -> str:  # noqa: N802
        self.taken.append(envelope)
        return self._answer("DATA", server)


def content_of(envelope: Envelope) -> bytes:
    assert envelope.original_content is not None
    return envelope.original_content


class Counter(SMTP):
    """One connection, which says when it is over."""

    lines: set["Counter"]
    left: asyncio.Event

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.lines.add(self)
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self.lines.discard(self)
        self.left.set()


@asynccontextmanager
async def open_office(office: PostOffice, **options: Any) -> AsyncIterator[PostOffice]:
    """Serve on a free port until every line is closed; `options` are those of aiosmtpd.smtp.SMTP."""
    lines, left = set[Counter](), asyncio.Event()

    def counter() -> Counter:
        made = Counter(office, **options)
        made.lines, made.left = lines, left
        return made

    server = await asyncio.get_running_loop().create_server(counter, "127.0.0.1", 0)
    office.port = server.sockets[0].getsockname()[1]
    try:
        yield office
    finally:
        server.close()
        for line in list(lines):
            hang_up(line)
        async with asyncio.timeout(5):
            while lines:
                left.clear()
                await left.wait()
