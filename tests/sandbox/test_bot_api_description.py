"""The table of methods against the machine-readable description of the Bot API."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from bot.sandbox.bot_api import HANDLERS
from bot.sandbox.editing import REACTIONS
from bot.sandbox.methods import KINDS, METHODS, Kind


@pytest.fixture
def description() -> dict[str, Any]:
    path = os.environ.get("BOT_API_DESCRIPTION")
    if not path:
        pytest.skip("BOT_API_DESCRIPTION names no description of the Bot API (JSON with methods and fields)")
    loaded: dict[str, Any] = json.loads(Path(path).read_text())
    return loaded


def kind_of(types: list[str]) -> Kind:
    match types:
        case ["Integer"]:
            return Kind.INTEGER
        case ["Boolean"]:
            return Kind.BOOLEAN
        case ["Integer", "String"]:
            return Kind.CHAT
        case ["InputFile"] | ["InputFile", "String"]:
            return Kind.FILE
        case ["String"]:
            return Kind.STRING
        case _:
            return Kind.JSON


def test_every_known_method_is_implemented() -> None:
    """getUpdates alone is not in the table of handlers, because it waits."""
    assert set(METHODS) == {*HANDLERS, "getUpdates"}


@pytest.mark.parametrize("name", sorted(METHODS))
def test_parameters_are_those_of_the_bot_api(description: dict[str, Any], name: str) -> None:
    """None unknown, none missing, each required where it is, each read as its type says."""
    fields = description["methods"][name].get("fields") or []
    assert METHODS[name].required == {field["name"] for field in fields if field["required"]}
    assert METHODS[name].optional == {field["name"] for field in fields if not field["required"]}
    for field in fields:
        assert KINDS.get(field["name"], Kind.STRING) is kind_of(field["types"]), field["name"]


def test_reactions_are_those_of_the_bot_api(description: dict[str, Any]) -> None:
    """Each allowed emoji stands in the description."""
    emoji = next(f for f in description["types"]["ReactionTypeEmoji"]["fields"] if f["name"] == "emoji")
    assert all(f'"{one}"' in emoji["description"] for one in REACTIONS)
    assert emoji["description"].count('"') == 2 * len(REACTIONS)
