"""Claude behind the Messages API.

Importing the SDK takes a second or more, so that happens when first asked, off the event loop.  The transport
is the SDK's aiohttp one and answers stay plain dicts (`claude_client`): a fifth of the CPU of a typed call,
with the SDK's credentials, headers and errors unchanged.  The SDK's own retries are off: they sleep for as
long as a server says and forget it all in a crash, while the engine's are rows.
"""

import asyncio
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from agent.errors import ModelError, ModelNonsense, ModelRefused, ModelUnavailable, TranscriptRefused
from agent.jsontext import JsonObject, clean, dumps
from agent.limits import Usage
from agent.ports import Reply
from agent.runs import Spec

if TYPE_CHECKING:
    from anthropic import APIStatusError

    from agent.claude_client import MessagesClient

# Statuses that pass: timeout, conflict, too many requests; all of 5xx (529 is "overloaded").
_PASSING = frozenset({408, 409, 429})

# Far above any real count, and small enough that sums of it fit a column.
_LARGEST_COUNT = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeSettings:
    """Where and as whom to ask.  `timeout` is for the whole call, in seconds.

    `strict` and `cache` can be switched off for other servers that speak this API but refuse those fields.
    """

    api_key: str | None
    base_url: str
    timeout: float = 120.0
    strict: bool = True
    cache: bool = True


class Claude:
    """See agent.ports.Model."""

    def __init__(self, settings: ClaudeSettings) -> None:
        self._settings = settings
        self._client: MessagesClient | None = None
        self._opening = asyncio.Lock()

    async def close(self) -> None:
        if self._client is not None:
            await self._client.close()

    async def warm_up(self) -> None:
        """Import the SDK now rather than during the first lead."""
        await self._ready()

    async def reply(self, spec: Spec, messages: list[JsonObject], *, max_tokens: int) -> Reply:
        client = await self._ready()
        body = self._body(spec, messages, max_tokens)
        try:
            content = dumps(body).encode()
            async with asyncio.timeout(self._settings.timeout):
                answer = await client.create(content)
        except TimeoutError as error:
            raise ModelUnavailable(f"the model did not answer in {self._settings.timeout:g} s") from error
        except Exception as error:
            raise _translated(error) from error
        try:
            return _reply(answer)
        except RecursionError as error:
            raise ModelNonsense("the model sent something nested too deeply") from error

    async def model_exists(self, model: str) -> None:
        """Ask for the model's description, which costs nothing; ModelError if it cannot be had."""
        client = await self._ready()
        try:
            async with asyncio.timeout(self._settings.timeout):
                await client.retrieve(model)
        except TimeoutError as error:
            raise ModelUnavailable("no answer") from error
        except Exception as error:
            raise _translated(error) from error

    async def _ready(self) -> "MessagesClient":
        if self._client is not None:
            return self._client
        async with self._opening:
            if self._client is None:
                self._client = await asyncio.to_thread(self._open)
            return self._client

    def _open(self) -> "MessagesClient":
        from agent.claude_client import MessagesClient  # noqa: PLC0415  (seconds; see above)

        settings = self._settings
        return MessagesClient(
            api_key=settings.api_key or "none", base_url=settings.base_url, timeout=settings.timeout
        )

    def _body(self, spec: Spec, messages: list[JsonObject], max_tokens: int) -> JsonObject:
        """One cache breakpoint, on the system block: it covers the tools too, and nothing of any lead."""
        system: JsonObject = {"type": "text", "text": spec.system}
        if self._settings.cache:
            system["cache_control"] = {"type": "ephemeral"}
        tools = spec.tools
        if not self._settings.strict:
            tools = [{key: value for key, value in tool.items() if key != "strict"} for tool in tools]
        return {
            "model": spec.model,
            "max_tokens": max_tokens,
            "system": [system],
            "tools": tools,
            "messages": messages,
        }


def _translated(error: Exception) -> ModelError:
    """Our error for what the SDK raised.  Bugs of ours are not among these and go through."""
    from anthropic import APIConnectionError, APIError, APIStatusError  # noqa: PLC0415  (seconds; see above)

    match error:
        case APIStatusError():
            return _of_status(error)
        case APIConnectionError():
            return ModelUnavailable("the model's server cannot be reached")
        case APIError():
            return ModelNonsense(f"the model's server gave no usable answer ({type(error).__name__})")
        case ValueError() | RecursionError():
            return ModelNonsense("the model's server sent something that is not JSON")
    raise error


def _of_status(error: "APIStatusError") -> ModelError:
    status, words = error.status_code, f"HTTP {error.status_code}: {_words(error)}"
    if status == 400:
        return TranscriptRefused(words)
    if getattr(error, "error_code", None):  # a spend limit comes as 429 and does not pass by waiting
        return ModelRefused(words)
    if status in _PASSING or status >= 500:
        return ModelUnavailable(words, retry_after=_retry_after(error.response.headers.get("retry-after")))
    return ModelRefused(words)


def _words(error: "APIStatusError") -> str:
    """The server's own explanation, short: it is shown to operators."""
    body: Any = error.body
    inner = body.get("error") if isinstance(body, dict) else None
    message = inner.get("message") if isinstance(inner, dict) else None
    return str(clean(message))[:300] if message else type(error).__name__


def _retry_after(value: str | None) -> float | None:
    try:
        seconds = float(value) if value else math.nan
    except ValueError:
        return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _reply(answer: object) -> Reply:
    """A checked reply, or ModelNonsense: the server's answer may be any JSON, or no JSON at all."""
    if not isinstance(answer, dict) or answer.get("type", "message") != "message":
        raise ModelNonsense("the model's server sent something that is no message")
    content = answer.get("content")
    if not isinstance(content, list) or not all(
        isinstance(block, dict) and isinstance(block.get("type"), str) for block in content
    ):
        raise ModelNonsense("the model sent a message without content")
    stop_reason = answer.get("stop_reason")
    return Reply(
        content=[clean(block) for block in content if not _is_empty(block)],
        stop_reason=stop_reason if isinstance(stop_reason, str) else None,
        usage=_usage(answer.get("usage")),
    )


def _is_empty(block: JsonObject) -> bool:
    """The API refuses empty text blocks when they are sent back."""
    return block["type"] == "text" and not (isinstance(block.get("text"), str) and block["text"].strip())


def _usage(value: object) -> Usage:
    """Any figure may be missing or null."""
    usage = value if isinstance(value, dict) else {}

    def count(field: str) -> int:
        figure = usage.get(field)
        return min(figure, _LARGEST_COUNT) if isinstance(figure, int) and figure > 0 else 0

    return Usage(
        input=count("input_tokens"),
        output=count("output_tokens"),
        cache_write=count("cache_creation_input_tokens"),
        cache_read=count("cache_read_input_tokens"),
    )
