"""Tools: what is sent of their schemas, and what is told of wrong arguments."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, StringConstraints, ValidationError

from agent.leads.agent import LeadAgent
from agent.tools import Arguments, Risk, Tool, complaint, strict_schema
from tests.company import HELLO, RecordingChannel

ALLOWED = {"type", "enum", "description", "properties", "required", "items", "anyOf", "additionalProperties"}


class Colour(StrEnum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


class Part(Arguments):
    """A part."""

    weight: Annotated[float, Field(gt=0, le=10)] = 1.0
    colour: Colour = Colour.RED


class Everything(Arguments):
    """All that a schema may hold."""

    name: Annotated[str, StringConstraints(min_length=1, max_length=9, pattern="^a")] = Field(
        description="A name"
    )
    colour: Colour
    kind: Literal["x", "y"]
    sort: Literal["z"]
    parts: Annotated[list[Part], Field(min_length=1)]
    maybe: Part | None = None
    count: int | str = 3


def schemas(schema: Any) -> Iterator[dict[str, Any]]:
    """A schema and all schemas inside it."""
    yield schema
    inner = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])]
    for part in [*inner, *([schema["items"]] if "items" in schema else [])]:
        yield from schemas(part)


@pytest.mark.parametrize(
    "arguments",
    [
        Everything,
        Part,
        *(tool.arguments for tool in LeadAgent(channel=RecordingChannel(), model="m").tools.values()),
    ],
)
def test_a_strict_schema_holds_only_what_strict_tools_take(arguments: type[Arguments]) -> None:
    """No bounds, patterns, titles, defaults or references; every object closed, every property required."""
    whole = strict_schema(arguments.model_json_schema())
    for schema in schemas(whole):
        assert schema.keys() <= ALLOWED
        if schema.get("type") == "object":
            assert schema["additionalProperties"] is False
            assert schema["required"] == list(schema["properties"])


def test_a_schema_keeps_what_the_model_needs() -> None:
    """Types, choices, descriptions and the inside of references are there."""
    properties = strict_schema(Everything.model_json_schema())["properties"]
    assert properties["name"] == {"type": "string", "description": "A name"}
    assert properties["colour"] == {"type": "string", "enum": ["red", "blue"]}
    assert properties["kind"] == {"type": "string", "enum": ["x", "y"]}
    assert properties["sort"] == {"type": "string", "enum": ["z"]}
    assert list(properties["parts"]["items"]["properties"]) == ["weight", "colour"]
    assert list(properties["maybe"]["anyOf"][0]["properties"]) == ["weight", "colour"]
    assert properties["maybe"]["anyOf"][1] == {"type": "null"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("send_reply", {"text": "x" * 19}),
        ("send_reply", {"text": "x" * 501}),
        ("send_reply", {"text": " " * 30 + "x" * 19}),
        ("send_reply", {"text": HELLO, "phone": "+77779999999"}),
        ("send_reply", {"text": None}),
        ("send_reply", {"text": ["x" * 30]}),
        ("send_reply", {}),
        ("create_deal", {"service": "seo", "summary": "x" * 10}),
        ("create_deal", {"service": "crm", "summary": "x" * 9}),
        ("create_deal", {"service": "crm", "summary": "x" * 301}),
        ("escalate_to_manager", {"reason": "x" * 4}),
        ("escalate_to_manager", {"reason": "x" * 301}),
        ("get_customer_history", {"phone": "+77779999999"}),
        ("get_customer_history", {"lead_id": "L-1"}),
    ],
)
def test_arguments_off_the_schema_are_refused_with_their_field(name: str, value: object) -> None:
    """Bounds that the API does not check are checked here, and the complaint names the field."""
    tool = LeadAgent(channel=RecordingChannel(), model="m").tools[name]
    with pytest.raises(ValidationError) as caught:
        tool.arguments.parse(value)
    assert isinstance(value, dict)
    fields = set(tool.arguments.model_fields) | value.keys()
    assert complaint(caught.value).partition(":")[0] in fields


@pytest.mark.parametrize("value", [None, [], "text", 7])
def test_an_input_that_is_no_object_is_refused(value: object) -> None:
    """Whatever a model sends instead of an object is a complaint too."""
    with pytest.raises(ValidationError) as caught:
        Part.parse(value)
    assert complaint(caught.value).startswith("input: ")


@pytest.mark.parametrize("length", [20, 500])
def test_the_bounds_of_a_reply_are_the_specifications(length: int) -> None:
    """20 and 500 characters are fine, and white space around them is not counted."""
    arguments = LeadAgent(channel=RecordingChannel(), model="m").tools["send_reply"].arguments
    assert arguments.parse({"text": f" {'x' * length}\n"}).as_json() == {"text": "x" * length}


def test_the_four_tools_have_their_risks() -> None:
    """Only the reply leaves the company."""
    tools = LeadAgent(channel=RecordingChannel(), model="m").tools
    assert {tool.name: tool.risk for tool in tools.values()} == {
        "get_customer_history": Risk.READ,
        "create_deal": Risk.WRITE,
        "send_reply": Risk.EXTERNAL,
        "escalate_to_manager": Risk.WRITE,
    }
    assert all(tool.available for tool in tools.values())
    assert not Tool(name="x", description="", risk=Risk.EXTERNAL, arguments=Part).available
