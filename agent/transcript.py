"""The transcript: plain Messages API dicts, and what can be read off them.

It is kept as fragments that are only ever appended: the task, each reply, each tool result, later words of
the lead.  Neighbouring user fragments are one message to the API, so results always stand first and
together, and nothing comes between a call and its result.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from agent.errors import ModelNonsense
from agent.jsontext import JsonObject, dumps

# The label of what the lead wrote while a run was under way.
FURTHER = "further_messages_of_the_lead"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One tool call of the model; `input` is not validated yet."""

    id: str
    name: str
    input: JsonObject


def merge(fragments: Iterable[JsonObject]) -> list[JsonObject]:
    """The messages that `fragments` make."""
    messages: list[JsonObject] = []
    for fragment in fragments:
        if messages and fragment["role"] == "user" == messages[-1]["role"]:
            messages[-1] = {"role": "user", "content": messages[-1]["content"] + fragment["content"]}
        else:
            messages.append(fragment)
    return messages


def data(label: str, value: Any) -> JsonObject:
    """A user fragment that holds somebody's words as labelled JSON: data, not instructions.

    `<` is escaped so that the words cannot close the label.
    """
    return text(f"<{label}>\n{labelled(value)}\n</{label}>")


def data_in(fragment: JsonObject, label: str) -> Any | None:
    """What `data` put into a fragment under that label; None for any other fragment."""
    for block in fragment["content"]:
        words = str(block.get("text", ""))
        if words.startswith(f"<{label}>\n") and words.endswith(f"\n</{label}>"):
            return json.loads(words.removeprefix(f"<{label}>\n").removesuffix(f"\n</{label}>"))
    return None


def labelled(value: Any) -> str:
    """JSON that cannot close the tag around it."""
    return dumps(value).replace("<", "\\u003c")


def text(words: str) -> JsonObject:
    """A user fragment of plain text."""
    return {"role": "user", "content": [{"type": "text", "text": words}]}


def result(call: Call, content: str, *, is_error: bool = False) -> JsonObject:
    """A user fragment with the result of one call.

    Some servers that speak this API ignore `is_error`, so an error says so in words too.
    """
    block: JsonObject = {"type": "tool_result", "tool_use_id": call.id, "content": content}
    if is_error:
        block |= {"content": f"ERROR: {content}", "is_error": True}
    return {"role": "user", "content": [block]}


def said(content: Iterable[JsonObject]) -> str:
    """The text blocks of a reply, a line each."""
    return "\n".join(block["text"] for block in content if block.get("type") == "text" and block.get("text"))


def open_calls(messages: list[JsonObject]) -> Iterator[Call]:
    """The calls of the last reply that have no result yet, in the model's order."""
    replies = [index for index, message in enumerate(messages) if message["role"] == "assistant"]
    if not replies:
        return
    last = replies[-1]
    answered = {
        block["tool_use_id"]
        for message in messages[last + 1 :]
        for block in message["content"]
        if block["type"] == "tool_result"
    }
    for call in calls(messages[last]["content"]):
        if call.id not in answered:
            yield call


def calls(content: Iterable[JsonObject]) -> list[Call]:
    """The tool calls of a reply; ModelNonsense where the API would refuse the reply if sent back."""
    found = []
    for block in content:
        if block.get("type") != "tool_use":
            continue
        id, name, value = block.get("id"), block.get("name"), block.get("input")
        if not (isinstance(id, str) and id and isinstance(name, str) and name and isinstance(value, dict)):
            raise ModelNonsense("the model sent a malformed tool call")
        found.append(Call(id=id, name=name, input=value))
    if len({call.id for call in found}) < len(found):
        raise ModelNonsense("the model sent two tool calls with one id")
    return found


def answered(messages: Iterable[JsonObject]) -> dict[str, str]:
    """By the name of each tool that gave something: what it gave last, as it gave it."""
    names: dict[str, str] = {}
    found: dict[str, str] = {}
    for block in (block for message in messages for block in message["content"]):
        if block["type"] == "tool_use":
            names[block["id"]] = block["name"]
        elif block["type"] == "tool_result" and not block.get("is_error"):
            found[names[block["tool_use_id"]]] = block["content"]
    return found


def without_calls(content: Iterable[JsonObject]) -> list[JsonObject]:
    """A reply's content apart from its tool calls."""
    return [block for block in content if block.get("type") != "tool_use"]


def call_ids(messages: Iterable[JsonObject]) -> set[str]:
    """Every tool call id used so far."""
    return {
        block["id"]
        for message in messages
        if message["role"] == "assistant"
        for block in message["content"]
        if block.get("type") == "tool_use"
    }


_THINKING = frozenset({"thinking", "redacted_thinking"})


def without_thinking(messages: list[JsonObject]) -> list[JsonObject]:
    """The transcript without thinking blocks, which a changed prompt or tool list invalidates."""
    stripped = [
        {**message, "content": [block for block in message["content"] if block["type"] not in _THINKING]}
        for message in messages
    ]
    return [message for message in stripped if message["content"]]
