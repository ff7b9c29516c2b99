"""What the Messages API refuses in tool definitions; strict tools take only a part of JSON schema."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

MAX_STRICT_TOOLS = 20

_NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")
_FIELDS = {
    "name",
    "description",
    "input_schema",
    "strict",
    "type",
    "cache_control",
    "allowed_callers",
    "defer_loading",
    "eager_input_streaming",
    "input_examples",
}
_UNSUPPORTED_WHEN_STRICT = {
    "pattern",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "maxItems",
    "minProperties",
    "maxProperties",
}


def definition_faults(tools: Any) -> Iterator[str]:
    """Yield every rule that the list of tool definitions breaks."""
    if not isinstance(tools, list) or not all(isinstance(tool, dict) for tool in tools):
        yield "tools: must be a list of objects"
        return
    for index, tool in enumerate(tools):
        yield from (f"tools.{index}: {fault}" for fault in _one_tool_faults(tool))
    names = Counter(str(tool.get("name")) for tool in tools)
    yield from (f"tools: the name {name} is used {count} times" for name, count in names.items() if count > 1)
    strict = sum(tool.get("strict") is True for tool in tools)
    if strict > MAX_STRICT_TOOLS:
        yield f"tools: {strict} strict tools, at most {MAX_STRICT_TOOLS} are allowed"


def _one_tool_faults(tool: dict[str, Any]) -> Iterator[str]:
    if tool.get("type", "custom") not in ("custom", None):
        return  # a server tool: its fields are its own
    yield from (f"unknown field {name}" for name in sorted(tool.keys() - _FIELDS))
    if not is_name(tool.get("name")):
        yield "name: must be 1 to 128 letters, digits, _ or -"
    schema = tool.get("input_schema")
    if not isinstance(schema, dict) or schema.get("type") != "object":
        yield 'input_schema: must be a JSON schema of type "object"'
    elif tool.get("strict") is True:
        yield from _strict_faults(schema, "input_schema")


def _strict_faults(schema: Any, path: str) -> Iterator[str]:
    """Yield what strict mode refuses in `schema`, which takes a subset of JSON schema."""
    if not isinstance(schema, dict):
        return
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        yield f"{path}: a strict tool needs additionalProperties: false"
    for key in sorted(schema.keys() & _UNSUPPORTED_WHEN_STRICT):
        yield f"{path}: a strict tool may not have {key}"
    for key in ("properties", "$defs", "definitions", "anyOf", "allOf"):
        for name, part in _members(schema.get(key)):
            yield from _strict_faults(part, f"{path}.{key}.{name}")
    yield from _strict_faults(schema.get("items"), f"{path}.items")


def _members(value: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(value, dict):
        return value.items()
    return enumerate(value) if isinstance(value, list) else ()


def is_name(value: Any) -> bool:
    """Whether `value` is fit for the name of a tool or the id of a call."""
    return isinstance(value, str) and _NAME.fullmatch(value) is not None
