"""Posting signed webhooks (Standard Webhooks), with their outcome told apart: answered, not sent, unknown."""

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from standardwebhooks import Webhook

from agent.clock import Clock
from agent.errors import NotSent, OutcomeUnknown, Undeliverable
from bot.webhook_urls import may_be_reached

SECONDS_TO_CONNECT = 10.0
SECONDS_IN_ALL = 25.0
SECONDS_UNTIL_RECONNECT = 30.0
LONGEST_RETRY_AFTER = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What the other side said.  retry_after is in seconds, where it named a time."""

    status: int
    retry_after: float | None = None

    @property
    def accepted(self) -> bool:
        return 200 <= self.status < 300


async def post(url: str, secret: str, *, id: str, body: str, clock: Clock) -> Answer:
    """Post a JSON text once; whatever answer comes is the result, a redirect too: none is followed.

    Raises NotSent if it certainly did not leave, Undeliverable if it never can, OutcomeUnknown if the answer
    was lost.  Each call has a connection of its own: one that was kept open may be dead without anybody
    knowing, and a request lost on it would be in doubt.
    """
    import aiohttp  # noqa: PLC0415 - 0.2 s, which no start has to wait for

    timeout = aiohttp.ClientTimeout(total=SECONDS_IN_ALL, connect=SECONDS_TO_CONNECT)
    connector = aiohttp.TCPConnector(
        force_close=True, socket_factory=partial(socket_for, urlsplit(url).scheme)
    )
    headers = signed(secret, id=id, body=body, at=clock())
    try:
        async with (
            aiohttp.ClientSession(connector=connector, timeout=timeout) as session,
            session.post(url, data=body.encode(), headers=headers, allow_redirects=False) as response,
        ):
            return Answer(status=response.status, retry_after=_retry_after(response.headers, clock))
    except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
        words = f"{host_of(url)} cannot be reached ({cause_of(error)})"
        raise NotSent(words, retry_after=SECONDS_UNTIL_RECONNECT) from error
    except aiohttp.InvalidURL as error:
        raise Undeliverable("the URL cannot be used") from error
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise OutcomeUnknown(f"the answer of {host_of(url)} was lost ({cause_of(error)})") from error


def signed(secret: str, *, id: str, body: str, at: int) -> dict[str, str]:
    """The headers of one try.  The library reads any moment as if it were UTC, so it has to be."""
    moment = datetime.fromtimestamp(at // 1000, UTC)
    return {
        "content-type": "application/json",
        "user-agent": "lead-agent",
        "webhook-id": id,
        "webhook-timestamp": str(at // 1000),
        "webhook-signature": Webhook(secret).sign(id, moment, body),
    }


def socket_for(scheme: str, address: tuple[Any, ...]) -> socket.socket:
    """The socket of a connection about to be made.  Asked here the name is resolved, so none can lie."""
    family, kind, protocol, _, target = address
    if not may_be_reached(scheme, target[0]):
        why = "is not reached in clear text: use https" if scheme == "http" else "is no server's address"
        raise OSError(f"{target[0]} {why}")
    return socket.socket(family, kind, protocol)


def _retry_after(headers: Mapping[str, str], clock: Clock) -> float | None:
    """Seconds, or a date (RFC 9110, 10.2.3); at most a day."""
    value = headers.get("Retry-After", "")
    try:
        date = None if value.isdecimal() else parsedate_to_datetime(value)
    except ValueError:
        return None
    seconds = float(value) if date is None else date.timestamp() - clock() / 1000
    return min(max(seconds, 0.0), LONGEST_RETRY_AFTER)


def host_of(url: str) -> str:
    """All that is told of a URL: the rest of it often is a secret."""
    return urlsplit(url).hostname or "the receiver"


def cause_of(error: BaseException) -> str:
    """The fault in a few words, without the URL."""
    inner = getattr(error, "os_error", None)
    return (str(inner) or type(inner).__name__) if inner is not None else type(error).__name__
