"""What can go wrong between a client and the Messages API, made to happen on purpose."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from enum import Enum, unique
from typing import Any

from bot.sandbox.script import Lead, StopReason, Usage, any_lead
from bot.sandbox.transcript import Json


@unique
class FaultKind(Enum):
    """Every symptom the stand-in can show; the values name them at the control endpoint."""

    # typed errors: an HTTP status and Anthropic's error JSON
    INVALID_REQUEST = "invalid_request"
    UNAUTHENTICATED = "unauthenticated"
    PAYMENT_REQUIRED = "payment_required"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    REQUEST_TIMEOUT = "request_timeout"
    CONFLICT = "conflict"
    TOO_LARGE = "too_large"
    RATE_LIMITED = "rate_limited"
    SPEND_LIMIT = "spend_limit"
    SERVER_ERROR = "server_error"
    UNAVAILABLE = "unavailable"
    OVERLOADED = "overloaded"
    # the connection
    RESET = "reset"
    CUT_BODY = "cut_body"
    TRICKLE = "trickle"
    SILENCE = "silence"
    # a 200 that holds no message
    BAD_JSON = "bad_json"
    EMPTY_BODY = "empty_body"
    NO_CONTENT = "no_content"
    HTML = "html"
    NULL = "null"
    LIST = "list"
    EMPTY_OBJECT = "empty_object"
    # a message that is odd
    NULL_CONTENT = "null_content"
    EMPTY_CONTENT = "empty_content"
    UNKNOWN_BLOCK = "unknown_block"
    UNKNOWN_STOP_REASON = "unknown_stop_reason"
    MISSING_STOP_REASON = "missing_stop_reason"
    STRING_INPUT = "string_input"
    NULL_INPUT = "null_input"
    OFF_SCHEMA_INPUT = "off_schema_input"
    DUPLICATE_IDS = "duplicate_ids"
    CALL_WITHOUT_BLOCK = "call_without_block"
    USAGE_MISSING = "usage_missing"
    USAGE_NULLS = "usage_nulls"
    TRUNCATED = "truncated"
    PAUSED = "paused"
    REFUSED = "refused"
    CONTEXT_WINDOW = "context_window"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A symptom for some calls: after the first `after` that `when` accepts, `times` of them show it.

    `retry_after` (seconds) goes out with the typed errors that ask to try again; `pause` (seconds) is the
    time between two bytes of a trickling body.
    """

    kind: FaultKind
    times: int = 1
    after: int = 0
    retry_after: float = 1.0
    pause: float = 0.02
    when: Callable[[Lead], bool] = any_lead


@dataclass(frozen=True, slots=True)
class ApiError:
    """One of Anthropic's typed errors."""

    status: int
    type: str
    message: str
    code: str | None = None

    def to_json(self) -> Json:
        """Return the body that goes with the status."""
        details = {} if self.code is None else {"details": {"error_code": self.code}}
        return {"type": "error", "error": {"type": self.type, "message": self.message, **details}}


ERRORS = {
    FaultKind.INVALID_REQUEST: ApiError(400, "invalid_request_error", "Injected: invalid request"),
    FaultKind.UNAUTHENTICATED: ApiError(401, "authentication_error", "Injected: invalid x-api-key"),
    FaultKind.PAYMENT_REQUIRED: ApiError(402, "billing_error", "Injected: the credit balance is too low"),
    FaultKind.FORBIDDEN: ApiError(403, "permission_error", "Injected: the key may not use this model"),
    FaultKind.NOT_FOUND: ApiError(404, "not_found_error", "Injected: no such model"),
    FaultKind.REQUEST_TIMEOUT: ApiError(408, "timeout_error", "Injected: the request took too long"),
    FaultKind.CONFLICT: ApiError(409, "conflict_error", "Injected: conflict"),
    FaultKind.TOO_LARGE: ApiError(413, "request_too_large", "Injected: the request is too large"),
    FaultKind.RATE_LIMITED: ApiError(429, "rate_limit_error", "Injected: rate limit"),
    FaultKind.SPEND_LIMIT: ApiError(
        429, "rate_limit_error", "Injected: spend limit", "enforced_spend_limit_reached"
    ),
    FaultKind.SERVER_ERROR: ApiError(500, "api_error", "Injected: internal server error"),
    FaultKind.UNAVAILABLE: ApiError(503, "api_error", "Injected: service unavailable"),
    FaultKind.OVERLOADED: ApiError(529, "overloaded_error", "Injected: overloaded"),
}

# kind -> (status, body, content type)
BODIES = {
    FaultKind.BAD_JSON: (200, b'{"id": "msg_1", "content": [', "application/json"),
    FaultKind.EMPTY_BODY: (200, b"", "application/json"),
    FaultKind.NO_CONTENT: (204, b"", "application/json"),
    FaultKind.HTML: (200, b"<html><body>Sign in to the hotel's network</body></html>", "text/html"),
    FaultKind.NULL: (200, b"null", "application/json"),
    FaultKind.LIST: (200, b"[]", "application/json"),
    FaultKind.EMPTY_OBJECT: (200, b"{}", "application/json"),
}

_SERVER_CALL = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "-"}}

# kind -> the fields of a message that it replaces
_CHANGES: dict[FaultKind, Json] = {
    FaultKind.NULL_CONTENT: {"content": None},
    FaultKind.EMPTY_CONTENT: {"content": [], "stop_reason": StopReason.END_TURN},
    FaultKind.UNKNOWN_STOP_REASON: {"stop_reason": "moonrise"},
    FaultKind.CALL_WITHOUT_BLOCK: {
        "content": [{"type": "text", "text": "Let me look that up."}],
        "stop_reason": StopReason.TOOL_USE,
    },
    FaultKind.USAGE_NULLS: {"usage": dict.fromkeys(asdict(Usage()))},
    FaultKind.PAUSED: {
        "content": [{"type": "text", "text": "One moment."}, _SERVER_CALL],
        "stop_reason": StopReason.PAUSE_TURN,
    },
    FaultKind.REFUSED: {
        "content": [],
        "stop_reason": StopReason.REFUSAL,
        "stop_details": {"type": "refusal", "category": None, "explanation": None},
    },
    FaultKind.CONTEXT_WINDOW: {"stop_reason": StopReason.CONTEXT_WINDOW},
}

_ABSENT = {FaultKind.MISSING_STOP_REASON: "stop_reason", FaultKind.USAGE_MISSING: "usage"}

# kind -> what becomes of the input of each tool call
_INPUTS: dict[FaultKind, Callable[[Json], Any]] = {
    FaultKind.STRING_INPUT: json.dumps,
    FaultKind.NULL_INPUT: lambda _: None,
    FaultKind.OFF_SCHEMA_INPUT: lambda given: given | {"phone": "+77779999999"},
    FaultKind.TRUNCATED: lambda given: {name: value[: len(value) // 2] for name, value in given.items()},
}


def spoil(message: Json, kind: FaultKind) -> Json:
    """Return the reply `message` made odd as `kind` says; other kinds leave it as it is."""
    odd = message | _CHANGES.get(kind, {})
    if kind in _ABSENT:
        del odd[_ABSENT[kind]]
    elif kind is FaultKind.UNKNOWN_BLOCK:
        odd["content"] = [{"type": "future_block", "data": "?"}, *message["content"]]
    elif kind is FaultKind.DUPLICATE_IDS:
        odd |= {"content": _calls(message) * 2, "stop_reason": StopReason.TOOL_USE}
    elif kind in _INPUTS:
        calls = [call | {"input": _INPUTS[kind](call["input"])} for call in _calls(message)]
        cut = kind is FaultKind.TRUNCATED
        odd |= {"content": calls, "stop_reason": StopReason.MAX_TOKENS if cut else StopReason.TOOL_USE}
    return odd


def _calls(message: Json) -> list[Json]:
    """Return the calls of `message`, or a made-up one where there is none to spoil."""
    calls = [block for block in message["content"] if block["type"] == "tool_use"]
    made_up = {"type": "tool_use", "id": "toolu_made_up", "name": "send_reply", "input": {"text": "Hello!"}}
    return calls or [made_up]
