"""Calls of Bitrix24's REST by an inbound webhook, with their outcome told apart.

The shapes are those that apidocs.bitrix24.com publishes.  An error is recognised by the field `error`, which
may be empty, not by the status; its text comes in the portal's language and decides nothing.
"""

import asyncio
import json
from collections.abc import Mapping
from functools import partial
from time import monotonic, time
from typing import Any
from urllib.parse import urlsplit

from agent.crm_link import Closed
from agent.errors import NotSent, OutcomeUnknown, Undeliverable
from agent.jsontext import JsonObject
from bot.crm.records import CrmClosed
from bot.webhooks import cause_of, host_of, socket_for

SECONDS_TO_CONNECT = 10.0
SECONDS_IN_ALL = 30.0
SECONDS_UNTIL_RECONNECT = 15.0
SECONDS_AFTER_TOO_MANY = 2.0
SECONDS_AFTER_TOO_LONG = 120.0
LONGEST_WAIT = 900.0
# Two requests a second are always taken (limits); this many at once never come near the bound of fifty.
PER_SECOND, AT_ONCE = 2.0, 10

# Nothing will be taken until somebody mends it.
_CLOSED = {
    "INVALID_CREDENTIALS": Closed.KEY,
    "NO_AUTH_FOUND": Closed.KEY,
    "expired_token": Closed.KEY,
    "INVALID_REQUEST": Closed.HTTPS,
    "insufficient_scope": Closed.SCOPE,
    "ERROR_METHOD_NOT_FOUND": Closed.SCOPE,
    "user_access_error": Closed.RIGHTS,
    "ACCESS_DENIED": Closed.PLAN,
    "OVERLOAD_LIMIT": Closed.OVERLOAD,
    "PORTAL_DELETED": Closed.PORTAL,
}
_INTERNAL = ("INTERNAL_SERVER_ERROR", "ERROR_UNEXPECTED_ANSWER")
_UNAUTHORISED = (401, 403)


class Bitrix24Api:
    """One webhook.  Its URL is a secret: only the host of it is ever told."""

    def __init__(self, url: str) -> None:
        self._url = url.rstrip("/")
        self._bucket = _Bucket()
        self._session: Any = None

    @property
    def host(self) -> str:
        return host_of(self._url)

    async def call(self, method: str, parameters: Mapping[str, Any]) -> Any:
        """The result of a method.

        Raises CrmClosed until somebody mends something, NotSent for what was certainly not done,
        Undeliverable for what is refused for what it is, OutcomeUnknown for a lost answer or nonsense.
        """
        import aiohttp  # noqa: PLC0415 - 0.2 s, which no start has to wait for

        await self._bucket.wait()
        try:
            async with self._opened(aiohttp).post(
                f"{self._url}/{method}.json", json=dict(parameters), allow_redirects=False
            ) as response:
                return self._result(response.status, _json(await response.read()))
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            words = f"{self.host} cannot be reached ({cause_of(error)})"
            raise NotSent(words, retry_after=SECONDS_UNTIL_RECONNECT) from error
        except aiohttp.InvalidURL as error:
            raise CrmClosed(Closed.KEY, "the URL cannot be used") from error
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise OutcomeUnknown(f"the answer of {self.host} was lost ({cause_of(error)})") from error

    def _opened(self, aiohttp: Any) -> Any:
        if self._session is None:
            scheme = urlsplit(self._url).scheme
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(force_close=True, socket_factory=partial(socket_for, scheme)),
                timeout=aiohttp.ClientTimeout(total=SECONDS_IN_ALL, connect=SECONDS_TO_CONNECT),
                headers={"user-agent": "lead-agent"},
            )
        return self._session

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _result(self, status: int, answer: JsonObject | None) -> Any:
        if answer is None or ("error" not in answer and "result" not in answer):
            raise OutcomeUnknown(f"{self.host} answers {status} with something that is no answer of Bitrix24")
        if "error" in answer:
            raise self._fault(status, str(answer["error"]), answer)
        return answer["result"]

    def _fault(self, status: int, code: str, answer: JsonObject) -> Exception:
        """Of what the answer says only the code and the text, which names fields."""
        words = f"{self.host} says {code or status}: {str(answer.get('error_description', ''))[:200]}"
        if code == "QUERY_LIMIT_EXCEEDED":
            return NotSent(words, retry_after=SECONDS_AFTER_TOO_MANY)
        if code == "OPERATION_TIME_LIMIT":
            return NotSent(words, retry_after=_until_reset(answer))
        if status in _UNAUTHORISED or code in _CLOSED.keys() - {"ACCESS_DENIED"}:  # which a method says too
            return CrmClosed(_CLOSED.get(code, Closed.RIGHTS), f"{self.host} says {code or status}")
        if status >= 500 or code in _INTERNAL:
            return OutcomeUnknown(words)
        return Undeliverable(words)


class _Bucket:
    """The leaky bucket of the other side, smaller: so it never overflows."""

    def __init__(self) -> None:
        self._fill, self._at = 0.0, monotonic()

    async def wait(self) -> None:
        """Until one more drop fits."""
        now = monotonic()
        self._fill = max(0.0, self._fill - (now - self._at) * PER_SECOND)
        self._at = now
        self._fill += 1
        if self._fill > AT_ONCE:
            await asyncio.sleep((self._fill - AT_ONCE) / PER_SECOND)


def _json(body: bytes) -> JsonObject | None:
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return answer if isinstance(answer, dict) else None


def _until_reset(answer: JsonObject) -> float:
    """Seconds until part of the method's time is free again, where the answer tells."""
    spent = answer.get("time")
    moment = spent.get("operating_reset_at") if isinstance(spent, dict) else None
    seconds = float(moment) - time() if isinstance(moment, int | float) else SECONDS_AFTER_TOO_LONG
    return min(max(seconds, 1.0), LONGEST_WAIT)
