"""The stand-in refuses what the Messages API refuses, rule by rule."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox import transcript
from bot.sandbox.transcript import Json
from tests.sandbox.conversation import TOOLS, assistant, request, result, tool, use, user

EPHEMERAL = {"type": "ephemeral"}
SEED = request(
    user("Process this lead."),
    assistant(use("t1")),
    user(result("t1")),
    assistant({"type": "text", "text": "Now."}, use("t2", "create_deal"), use("t3", "send_reply")),
    user(result("t2"), result("t3", "ERROR: Rejected", is_error=True), "The lead wrote again."),
    system=[{"type": "text", "text": "You process leads.", "cache_control": EPHEMERAL}],
    tools=TOOLS,
)


def signed(*, thought: str = "Hm.") -> Json:
    """A legal request in which the model thought before its first call."""
    body = request(user("Hello"), system="Be brief.", tools=TOOLS)
    signature = transcript.signature(body, transcript.turns(body))
    block = {"type": "thinking", "thinking": thought, "signature": signature}
    body["messages"] += [assistant(block, use("t1")), user(result("t1"))]
    return body


def strict(name: str, schema: Json) -> Json:
    return {"name": name, "strict": True, "input_schema": {"type": "object"} | schema}


LEGAL: dict[str, Json] = {
    "the seed's conversation": SEED,
    "a string as content": request({"role": "user", "content": "Hello"}),
    "results in neighbouring user messages": request(
        user("Hi"), assistant(use("a"), use("b")), user(result("a")), user(result("b")), user("More words")
    ),
    "neighbouring user messages": request(user("Hello"), user("Are you there?")),
    "a result without content": request(
        user("Hi"), assistant(use("a")), user({"type": "tool_result", "tool_use_id": "a"})
    ),
    "a paused turn handed back": request(
        user("Hi"), assistant({"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}})
    ),
    "thinking with its signature": signed(),
    "no forced tool": request(user("Hi"), tools=TOOLS, tool_choice={"type": "auto"}),
    "four cache breakpoints": SEED | {"cache_control": EPHEMERAL},
    "lengths in a tool that is not strict": request(
        user("Hi"),
        tools=[strict("a", {"properties": {"b": {"type": "string", "minLength": 1}}}) | {"strict": False}],
    ),
}


@pytest.mark.parametrize("body", LEGAL.values(), ids=LEGAL.keys())
def test_a_legal_request_has_no_faults(body: Json) -> None:
    """What the API takes, the stand-in takes."""
    assert transcript.faults(body) == []


ILLEGAL: dict[str, tuple[Json, str]] = {
    "model missing": ({"max_tokens": 1, "messages": [user("Hi")]}, "model: field required"),
    "max_tokens missing": ({"model": "m", "messages": [user("Hi")]}, "max_tokens: field required"),
    "messages missing": ({"model": "m", "max_tokens": 1}, "messages: field required"),
    "no messages": (request(), "at least one message"),
    "max_tokens zero": (request(user("Hi"), max_tokens=0), "max_tokens: must be a positive integer"),
    "model empty": (request(user("Hi"), model=""), "model: must be a non-empty string"),
    "unknown parameter": (request(user("Hi"), temperature=0.2), "temperature: unknown parameter"),
    "streaming": (request(user("Hi"), stream=True), "stream:"),
    "forced tool": (request(user("Hi"), tools=TOOLS, tool_choice={"type": "any"}), "can't be forced"),
    "named tool": (
        request(user("Hi"), tools=TOOLS, tool_choice={"type": "tool", "name": "send_reply"}),
        "can't be forced",
    ),
    "system is a number": (request(user("Hi"), system=5), "system: must be"),
    "system with an image": (
        request(user("Hi"), system=[{"type": "image", "source": {}}]),
        "system.0: not a block of a type",
    ),
    "first message the assistant's": (
        request(assistant({"type": "text", "text": "Hello"}), user("Hi")),
        "first message must be the user's",
    ),
    "prefill": (request(user("Hi"), assistant({"type": "text", "text": "I"})), "takes no prefill"),
    "unknown role": (request({"role": "operator", "content": "Hi"}), "role must be user or assistant"),
    "unknown message field": (request(user("Hi") | {"name": "Dana"}), "unknown field name"),
    "empty content": (request(user("Hi"), assistant(), user("Well?")), "content must not be empty"),
    "empty string": (request({"role": "user", "content": ""}), "content must not be empty"),
    "null content": (request({"role": "user", "content": None}), "content must be a string or a list"),
    "white space only": (request(user(" \n")), "must hold more than white space"),
    "unknown block": (request(user({"type": "hologram", "data": ""})), "not a block of a type"),
    "unknown block field": (
        request(user("Hi"), assistant(use("a") | {"index": 0}), user(result("a"))),
        "index: unknown field",
    ),
    "null block field": (
        request(user("Hi"), assistant(use("a") | {"caller": None}), user(result("a"))),
        "caller: must not be null",
    ),
    "block field missing": (request(user({"type": "text"})), "text: field required"),
    "call in a user message": (request(user(use("a"))), "not allowed in a message of the user"),
    "result in an assistant message": (
        request(user("Hi"), assistant(result("a")), user("Well?")),
        "not allowed in a message of the assistant",
    ),
    "input is a string": (
        request(user("Hi"), assistant(use("a") | {"input": "{}"}), user(result("a"))),
        "input: must be an object",
    ),
    "id with a space": (
        request(user("Hi"), assistant(use("a b")), user(result("a b"))),
        "id and name must be",
    ),
    "is_error is a word": (
        request(user("Hi"), assistant(use("a")), user(result("a", is_error="yes"))),
        "is_error: must be true or false",
    ),
    "result content is an object": (
        request(user("Hi"), assistant(use("a")), user(result("a") | {"content": {}})),
        "content: must be a string or a list",
    ),
    "result holds a call": (
        request(user("Hi"), assistant(use("a")), user(result("a") | {"content": [use("b")]})),
        "not a block of a type",
    ),
    "no result": (request(user("Hi"), assistant(use("a")), user("Well?")), "tool_use a has no tool_result"),
    "no message after a call": (request(user("Hi"), assistant(use("a"))), "tool_use without tool_result: a"),
    "one of two results": (
        request(user("Hi"), assistant(use("a"), use("b")), user(result("a"))),
        "tool_use b has no tool_result",
    ),
    "two results for one call": (
        request(user("Hi"), assistant(use("a")), user(result("a"), result("a"))),
        "tool_use a has 2 tool_results",
    ),
    "result without a call": (request(user(result("a"))), "tool_result a answers no tool_use"),
    "result one message late": (
        request(
            user("Hi"), assistant(use("a")), user("Wait"), assistant(use("b")), user(result("b"), result("a"))
        ),
        "tool_result a answers no tool_use",
    ),
    "words before the results": (
        request(user("Hi"), assistant(use("a")), user("Meanwhile", result("a"))),
        "tool_results come first",
    ),
    "a user message between call and result": (
        request(user("Hi"), assistant(use("a")), user("Meanwhile"), user(result("a"))),
        "tool_results come first",
    ),
    "words between two results": (
        request(user("Hi"), assistant(use("a"), use("b")), user(result("a"), "Meanwhile", result("b"))),
        "tool_results come first",
    ),
    "one id twice in a turn": (
        request(user("Hi"), assistant(use("a"), use("a")), user(result("a"))),
        "tool_use id a is used more than once",
    ),
    "one id in two turns": (
        request(user("Hi"), assistant(use("a")), user(result("a")), assistant(use("a")), user(result("a"))),
        "tool_use id a is used more than once",
    ),
    "open schema of a strict tool": (
        request(user("Hi"), tools=[strict("a", {})]),
        "needs additionalProperties: false",
    ),
    "open schema inside a strict tool": (
        request(
            user("Hi"),
            tools=[strict("a", {"additionalProperties": False, "properties": {"b": {"type": "object"}}})],
        ),
        "input_schema.properties.b: a strict tool needs additionalProperties: false",
    ),
    "pattern in a strict tool": (
        request(
            user("Hi"),
            tools=[strict("a", {"additionalProperties": False, "properties": {"b": {"pattern": "x"}}})],
        ),
        "a strict tool may not have pattern",
    ),
    "21 strict tools": (request(user("Hi"), tools=[tool(f"t{n}") for n in range(21)]), "21 strict tools"),
    "one tool name twice": (request(user("Hi"), tools=[tool("a"), tool("a")]), "the name a is used 2 times"),
    "tool name with a dot": (request(user("Hi"), tools=[tool("a.b")]), "name: must be"),
    "tool without a schema": (request(user("Hi"), tools=[{"name": "a"}]), "input_schema: must be"),
    "unknown tool field": (request(user("Hi"), tools=[tool("a") | {"risk": "read"}]), "unknown field risk"),
    "tools are no list": (request(user("Hi"), tools={}), "tools: must be a list of objects"),
    "five cache breakpoints": (
        SEED
        | {
            "cache_control": EPHEMERAL,
            "tools": [definition | {"cache_control": EPHEMERAL} for definition in TOOLS[:3]],
        },
        "5 breakpoints, at most 4",
    ),
    "unknown cache mark": (request(user("Hi"), cache_control={"type": "forever"}), "cache_control: must be"),
    "lone surrogate": (request(user("Hi \ud83d")), "lone surrogate"),
    "not a number": (request(user("Hi"), metadata={"score": float("nan")}), "nan is not JSON"),
}


@pytest.mark.parametrize(("body", "fault"), ILLEGAL.values(), ids=ILLEGAL.keys())
def test_an_illegal_request_is_told_its_fault(body: Json, fault: str) -> None:
    """Each broken rule is named."""
    found = transcript.faults(body)
    assert any(fault in line for line in found), found


def edited(change: str) -> Json:
    body = copy.deepcopy(signed())
    match change:
        case "system":
            body["system"] = "Be brief!"
        case "tools":
            body["tools"][2]["input_schema"]["properties"]["text"]["description"] = "Politely"
        case "earlier message":
            body["messages"][0]["content"][0]["text"] = "Hello!"
        case "signature":
            body["messages"][1]["content"][0]["signature"] = "0" * 64
    return body


@pytest.mark.parametrize("change", ["system", "tools", "earlier message", "signature"])
def test_thinking_is_bound_to_all_before_it(change: str) -> None:
    """A thinking block is refused once the prompt, a tool or an earlier message differs."""
    assert "thinking block" in " ".join(transcript.faults(edited(change)))


def test_stripped_thinking_and_moved_cache_marks_are_fine() -> None:
    """Without its thinking blocks a changed conversation is legal again, and cache marks bind nothing."""
    body = edited("system")
    body["messages"][1]["content"].pop(0)
    assert transcript.faults(body) == []
    marked = signed()
    marked["messages"][0]["content"][0]["cache_control"] = EPHEMERAL
    assert transcript.faults(marked) == []


@pytest.mark.parametrize(
    ("headers", "faults"),
    [
        ({"authorization": "Bearer key", "anthropic-version": "2026-10-21"}, 0),
        ({"x-api-key": "key", "anthropic-version": "2023-06-01"}, 0),
        ({"x-api-key": "key"}, 1),
        ({"authorization": "Bearer ", "anthropic-version": "2026-10-21"}, 1),
        ({"authorization": "Basic key", "anthropic-version": "2026-10-21"}, 1),
        ({}, 2),
    ],
)
def test_headers_need_a_key_and_a_version(headers: dict[str, str], faults: int) -> None:
    """Either form of the key will do; the version must be there."""
    assert len(transcript.header_faults(headers)) == faults


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
PATHS = [
    ("system",),
    ("tools",),
    ("tools", 1),
    ("tools", 1, "input_schema"),
    ("tools", 1, "input_schema", "properties"),
    ("messages",),
    ("messages", 1),
    ("messages", 1, "role"),
    ("messages", 1, "content"),
    ("messages", 1, "content", 0),
    ("messages", 1, "content", 0, "type"),
    ("messages", 1, "content", 0, "id"),
    ("messages", 2, "content", 0, "content"),
    ("messages", 2, "content", 0, "tool_use_id"),
    ("tool_choice",),
    ("cache_control",),
    ("max_tokens",),
    ("model",),
]


@given(path=st.sampled_from(PATHS), value=JSON_VALUES)
def test_no_body_breaks_the_checker(path: tuple[str | int, ...], value: Any) -> None:
    """Whatever JSON stands where, the answer is a list of sentences, never an exception."""
    body: Any = copy.deepcopy(SEED)
    target = body
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
    assert all(fault.strip() for fault in transcript.faults(body))
