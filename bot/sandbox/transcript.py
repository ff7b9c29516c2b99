"""What the Messages API refuses: a pure check of one request body.

The rules are Anthropic's documented ones for the newest models. A request that breaks one is answered with a
400 by the real API, so a stand-in that let it pass would hide the bug until the first real lead.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bot.sandbox.definitions import definition_faults, is_name

Json = dict[str, Any]

MAX_CACHE_BREAKPOINTS = 4

_ROLES = ("user", "assistant")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_REQUIRED = ("model", "max_tokens", "messages")
_PARAMETERS = _words(
    "model max_tokens messages cache_control container diagnostics inference_geo metadata output_config"
    " service_tier speed stop_sequences stream system thinking tool_choice tools user_profile_id workspace_id"
)
_NULLABLE = _words("cache_control citations toolset_name title context")


@dataclass(frozen=True, slots=True)
class _Shape:
    required: frozenset[str]
    optional: frozenset[str]
    roles: frozenset[str]


def _shape(required: str, optional: str = "", roles: str = "user assistant") -> _Shape:
    return _Shape(_words(required), _words(optional), _words(roles))


_SHAPES = {
    "text": _shape("text", "cache_control citations"),
    "image": _shape("source", "cache_control", "user"),
    "document": _shape("source", "cache_control citations title context", "user"),
    "search_result": _shape("source title content", "cache_control citations", "user"),
    "tool_use": _shape("id name input", "cache_control caller toolset_name", "assistant"),
    "tool_result": _shape("tool_use_id", "content is_error cache_control toolset_name", "user"),
    "thinking": _shape("thinking signature", roles="assistant"),
    "redacted_thinking": _shape("data", roles="assistant"),
    "server_tool_use": _shape("id name input", "cache_control caller", "assistant"),
    # Stands for whatever block Anthropic invents next: unknown to a client, known to the API that sent it.
    "future_block": _shape("data", roles="assistant"),
    "web_search_tool_result": _shape("tool_use_id content", "cache_control caller", "assistant"),
}


@dataclass(frozen=True, slots=True)
class Turn:
    """Consecutive messages of one role, which the API reads as one."""

    role: str
    blocks: tuple[Json, ...]

    def of_type(self, kind: str) -> list[Json]:
        return [block for block in self.blocks if block["type"] == kind]


def faults(body: Json) -> list[str]:
    """Return every rule that the request `body` breaks, one plain sentence each; a legal one breaks none."""
    found = [*_text_faults(body), *_parameter_faults(body), *_cache_faults(body)]
    found += definition_faults(body.get("tools", []))
    malformed = [*_system_faults(body.get("system", "")), *_message_faults(body.get("messages", []))]
    if malformed or "messages" not in body:
        return found + malformed  # the order of turns can only be judged where each block is well-formed
    merged = turns(body)
    return [*found, *_order_faults(merged), *_pairing_faults(merged), *_thinking_faults(body, merged)]


def header_faults(headers: Mapping[str, str]) -> list[str]:
    """Return what the request's headers lack; the names in `headers` are lower-case."""
    found = []
    if not headers.get("x-api-key") and not re.fullmatch(r"Bearer \S+", headers.get("authorization", "")):
        found.append("authentication: an x-api-key or Authorization: Bearer header is required")
    if not headers.get("anthropic-version"):
        found.append("anthropic-version: header is required")
    return found


def turns(body: Json) -> list[Turn]:
    """Return the messages of a well-formed `body` as the API reads them: neighbours of one role merged."""
    merged: list[Turn] = []
    for message in body["messages"]:
        blocks = blocks_of(message["content"])
        if merged and merged[-1].role == message["role"]:
            blocks = merged.pop().blocks + blocks
        merged.append(Turn(message["role"], blocks))
    return merged


def blocks_of(content: Any) -> tuple[Json, ...]:
    """Return `content` as blocks; a string is short for one text block."""
    return ({"type": "text", "text": content},) if isinstance(content, str) else tuple(content or ())


def signature(body: Json, earlier: list[Turn]) -> str:
    """Return the signature of a thinking block that follows the turns `earlier` in the request `body`.

    It covers system, tools and all earlier turns, as Anthropic binds them; cache marks may move freely.
    """
    context = [blocks_of(body.get("system")), body.get("tools") or [], [[t.role, t.blocks] for t in earlier]]
    text = json.dumps(_without_cache_marks(context), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def _without_cache_marks(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_cache_marks(v) for k, v in value.items() if k != "cache_control"}
    return [_without_cache_marks(item) for item in value] if isinstance(value, list | tuple) else value


def _text_faults(value: Any, path: str = "body") -> Iterator[str]:
    if isinstance(value, str):
        if any("\ud800" <= char <= "\udfff" for char in value):
            yield f"{path}: the text holds a lone surrogate"
    elif isinstance(value, float):
        if not math.isfinite(value):
            yield f"{path}: {value} is not JSON"
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _text_faults(key, f"{path}: a key")
            yield from _text_faults(item, f"{path}.{ascii(key)[1:-1]}")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _text_faults(item, f"{path}.{index}")


def _parameter_faults(body: Json) -> Iterator[str]:
    yield from (f"{name}: field required" for name in _REQUIRED if name not in body)
    yield from (f"{name}: unknown parameter" for name in sorted(body.keys() - _PARAMETERS))
    if not body.get("model", "-") or not isinstance(body.get("model", "-"), str):
        yield "model: must be a non-empty string"
    limit = body.get("max_tokens", 1)
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        yield "max_tokens: must be a positive integer"
    choice = body.get("tool_choice")
    if choice is not None and (not isinstance(choice, dict) or choice.get("type") not in ("auto", "none")):
        yield "tool_choice: this model can't be forced to use a tool; only auto and none are allowed"
    if body.get("stream"):
        yield "stream: this stand-in answers whole messages only"


def _system_faults(system: Any) -> Iterator[str]:
    if not isinstance(system, str | list):
        yield "system: must be a string or a list of text blocks"
    elif isinstance(system, list):
        for index, block in enumerate(system):
            yield from _block_faults(block, "user", f"system.{index}", kinds=("text",))


def _cache_faults(body: Json) -> Iterator[str]:
    marks = list(_cache_marks([body.get(key) for key in ("tools", "system", "messages")]))
    if body.get("cache_control") is not None:
        marks.append(body["cache_control"])
    if len(marks) > MAX_CACHE_BREAKPOINTS:
        yield f"cache_control: {len(marks)} breakpoints, at most {MAX_CACHE_BREAKPOINTS} are allowed"
    if any(not isinstance(mark, dict) or mark.get("type") != "ephemeral" for mark in marks):
        yield 'cache_control: must be {"type": "ephemeral"}'


def _cache_marks(value: Any) -> Iterator[Any]:
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict):
            if item.get("cache_control") is not None:
                yield item["cache_control"]
            yield from _cache_marks(item.get("content"))
        else:
            yield from _cache_marks(item)


def _message_faults(messages: Any) -> Iterator[str]:
    if not isinstance(messages, list):
        yield "messages: must be a list"
        return
    for index, message in enumerate(messages):
        yield from (f"messages.{index}: {fault}" for fault in _one_message_faults(message))


def _one_message_faults(message: Any) -> Iterator[str]:
    if not isinstance(message, dict) or message.get("role") not in _ROLES:
        yield "role must be user or assistant"
        return
    yield from (f"unknown field {name}" for name in sorted(message.keys() - {"role", "content"}))
    content = message.get("content")
    if not isinstance(content, str | list):
        yield "content must be a string or a list of blocks"
    elif not content:
        yield "content must not be empty"
    else:
        for index, block in enumerate(blocks_of(content)):
            yield from _block_faults(block, message["role"], f"content.{index}")


def _block_faults(block: Any, role: str, path: str, kinds: tuple[str, ...] = tuple(_SHAPES)) -> Iterator[str]:
    kind = block.get("type") if isinstance(block, dict) else None
    shape = _SHAPES.get(kind) if isinstance(kind, str) and kind in kinds else None
    if shape is None:
        yield f"{path}: not a block of a type that is allowed here"
        return
    if role not in shape.roles:
        yield f"{path}: {block['type']} is not allowed in a message of the {role}"
    fields = block.keys() - {"type"}
    yield from (f"{path}.{name}: field required" for name in sorted(shape.required - fields))
    yield from (f"{path}.{name}: unknown field" for name in sorted(fields - shape.required - shape.optional))
    for name in sorted(fields):
        if block[name] is None and name not in _NULLABLE:
            yield f"{path}.{name}: must not be null"
    yield from _value_faults(block, path)


def _value_faults(block: Json, path: str) -> Iterator[str]:
    match block:
        case {"type": "text", "text": text} if not isinstance(text, str) or not text.strip():
            yield f"{path}.text: must hold more than white space"
        case {"type": "tool_use" | "server_tool_use", "id": ident, "name": name, "input": value}:
            if not isinstance(value, dict):
                yield f"{path}.input: must be an object"
            if not is_name(ident) or not is_name(name):
                yield f"{path}: id and name must be letters, digits, _ or -"
        case {"type": "tool_result"}:
            yield from _result_faults(block, path)
        case _:
            pass


def _result_faults(block: Json, path: str) -> Iterator[str]:
    if not isinstance(block.get("is_error", False), bool):
        yield f"{path}.is_error: must be true or false"
    content = block.get("content", "")
    if isinstance(content, list):
        for index, part in enumerate(content):
            kinds = ("text", "image", "document", "search_result")
            yield from _block_faults(part, "user", f"{path}.content.{index}", kinds)
    elif not isinstance(content, str):
        yield f"{path}.content: must be a string or a list of blocks"


def _order_faults(merged: list[Turn]) -> Iterator[str]:
    if not merged:
        yield "messages: at least one message is required"
        return
    if merged[0].role != "user":
        yield "messages: the first message must be the user's"
    # Only a turn that the API itself paused in the middle of a server tool may be handed back as the last.
    if merged[-1].role == "assistant" and not merged[-1].of_type("server_tool_use"):
        yield "messages: this model takes no prefill; the last message must be the user's"


def _pairing_faults(merged: list[Turn]) -> Iterator[str]:
    calls: list[str] = []
    seen: set[str] = set()
    for turn in merged:
        if turn.role == "user":
            yield from _result_order_faults(turn, calls)
        calls = [block["id"] for block in turn.of_type("tool_use")]
        for ident, count in Counter(calls).items():
            if count > 1 or ident in seen:
                yield f"messages: the tool_use id {ident} is used more than once"
        seen.update(calls)
    if calls:
        yield f"messages: tool_use without tool_result: {', '.join(calls)}"


def _result_order_faults(turn: Turn, calls: list[str]) -> Iterator[str]:
    results = Counter(str(block["tool_use_id"]) for block in turn.of_type("tool_result"))
    for ident in dict.fromkeys(calls):
        if ident not in results:
            yield f"messages: tool_use {ident} has no tool_result in the very next message"
    for ident, count in results.items():
        if ident not in calls:
            yield f"messages: tool_result {ident} answers no tool_use of the message before"
        elif count > 1:
            yield f"messages: tool_use {ident} has {count} tool_results"
    first = [block["type"] == "tool_result" for block in turn.blocks]
    if first != sorted(first, reverse=True):
        yield "messages: tool_results come first in a message, other blocks after"


def _thinking_faults(body: Json, merged: list[Turn]) -> Iterator[str]:
    for index, turn in enumerate(merged):
        if any(block["signature"] != signature(body, merged[:index]) for block in turn.of_type("thinking")):
            yield "messages: a thinking block's signature does not match system, tools and earlier messages"
