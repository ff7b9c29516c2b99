"""Calls of the bot against the machine-readable description of the Bot API.

The environment variable BOT_API_DESCRIPTION names the JSON file; without it nothing is checked.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from bot.sandbox.state import Call

_PRIMITIVES: dict[str, type | tuple[type, ...]] = {
    "Integer": int,
    "String": str,
    "Float": (int, float),
    "Boolean": bool,
    "True": bool,
}


@cache
def description() -> dict[str, Any] | None:
    """Methods and types; None where the environment names no description."""
    path = os.environ.get("BOT_API_DESCRIPTION")
    return json.loads(Path(path).read_text()) if path else None


def faults_of_calls(calls: Iterable[Call]) -> list[str]:
    """Every unknown or missing parameter and every wrong type."""
    known = description()
    if known is None:
        return []
    return [
        fault
        for call in calls
        for fault in _fields(call.method, call.params, known["methods"][call.method].get("fields") or [])
    ]


def _fields(where: str, given: dict[str, Any], fields: list[dict[str, Any]]) -> Iterator[str]:
    by_name = {field["name"]: field for field in fields}
    yield from (f"{where}: unknown {name}" for name in given.keys() - by_name.keys())
    # An uploaded file is no parameter of the call as it is recorded.
    required = {field["name"] for field in fields if field["required"] and "InputFile" not in field["types"]}
    yield from (f"{where}: {name} is missing" for name in required - given.keys())
    for name in given.keys() & by_name.keys():
        options = [list(_value(f"{where}.{name}", given[name], kind)) for kind in by_name[name]["types"]]
        if all(options):
            yield from options[0]


def _value(where: str, value: Any, kind: str) -> Iterator[str]:
    if kind.startswith("Array of "):
        if not isinstance(value, list):
            yield f"{where}: no array: {value!r}"
            return
        for item in value:
            yield from _value(where, item, kind.removeprefix("Array of "))
    elif expected := _PRIMITIVES.get(kind):
        if not isinstance(value, expected) or (isinstance(value, bool) and expected is not bool):
            yield f"{where}: no {kind}: {value!r}"
    elif kind != "InputFile":
        yield from _object(where, value, kind)


def _object(where: str, value: Any, kind: str) -> Iterator[str]:
    known = description()
    assert known is not None
    described = known["types"][kind]
    if subtypes := described.get("subtypes"):
        options = [list(_value(where, value, subtype)) for subtype in subtypes]
        if all(options):
            yield f"{where}: no {kind}: {value!r}"
    elif not isinstance(value, dict):
        yield f"{where}: no {kind}: {value!r}"
    else:
        yield from _fields(where, value, described.get("fields") or [])
