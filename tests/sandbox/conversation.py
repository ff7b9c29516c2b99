"""The smallest loop that works a lead with a model of the stand-in and keeps the API's rules."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from bot.sandbox import transcript
from bot.sandbox.script import Model, StopReason, wire_content
from bot.sandbox.transcript import Json

LEAD = {"id": "L-42", "name": "Dana", "phone": "+77010000000", "message": "We need a CRM for our clinic."}


def tool(name: str, **properties: Json) -> Json:
    """Return a strict tool definition with string arguments."""
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": name, "strict": True, "input_schema": schema | {"additionalProperties": False}}


SERVICES = ["website", "mobile_app", "crm", "automation"]
TOOLS = [
    tool("get_customer_history"),
    tool("create_deal", service={"type": "string", "enum": SERVICES}, summary={"type": "string"}),
    tool("send_reply", text={"type": "string"}),
    tool("escalate_to_manager", reason={"type": "string"}),
]


def request(*messages: Json, **parameters: Any) -> Json:
    """Return a request body with `messages`."""
    return {"model": "claude-opus-5-5", "max_tokens": 1000, "messages": list(messages)} | parameters


def user(*content: Json | str) -> Json:
    """Return a message of the user; a string stands for a text block."""
    blocks = [{"type": "text", "text": part} if isinstance(part, str) else part for part in content]
    return {"role": "user", "content": blocks}


def assistant(*content: Json) -> Json:
    """Return a message of the assistant."""
    return {"role": "assistant", "content": list(content)}


def use(ident: str, name: str = "get_customer_history", **arguments: Any) -> Json:
    """Return a tool_use block."""
    return {"type": "tool_use", "id": ident, "name": name, "input": arguments}


def result(ident: str, content: str = "{}", **fields: Any) -> Json:
    """Return a tool_result block."""
    return {"type": "tool_result", "tool_use_id": ident, "content": content} | fields


def labelled(label: str, value: Any) -> str:
    """Return `value` as labelled JSON."""
    return f"<{label}>\n{json.dumps(value, ensure_ascii=False)}\n</{label}>"


def task(lead: Json) -> Json:
    """Return the first message about `lead`."""
    return user("Process this lead.\n" + labelled("lead", lead))


def legal(call: Json) -> bool:
    """Whether the arguments of a tool call are those that its tool accepts."""
    match call["name"], call["input"]:
        case "get_customer_history", {**rest}:
            return not rest
        case "create_deal", {"service": service, "summary": summary, **rest}:
            return service in SERVICES and _fits(summary, 10, 300) and not rest
        case "send_reply", {"text": text, **rest}:
            return _fits(text, 20, 500) and not rest
        case "escalate_to_manager", {"reason": reason, **rest}:
            return _fits(reason, 5, 300) and not rest
        case _:
            return False


def _fits(text: str, least: int, most: int) -> bool:
    return text == text.strip() and least <= len(text) <= most


Answer = Callable[[Json], tuple[str, bool]]

_ANSWERS = {
    "get_customer_history": '{"deals": [], "conversation": []}',
    "create_deal": '{"deal_id": "D-1"}',
    "send_reply": '{"sent": true}',
    "escalate_to_manager": '{"escalated": true}',
}


@dataclass(slots=True)
class Played:
    """A finished conversation."""

    messages: list[Json]
    calls: list[Json] = field(default_factory=list)
    text: str = ""

    @property
    def tools(self) -> list[str]:
        """The tools called after the history, in order."""
        return [call["name"] for call in self.calls if call["name"] != "get_customer_history"]

    def argument(self, name: str, argument: str) -> str:
        """One argument of the only call of the tool `name`."""
        (call,) = [call for call in self.calls if call["name"] == name]
        return str(call["input"][argument])


def play(
    model: Model,
    lead: Json,
    *,
    answers: dict[str, str] | None = None,
    tools: Sequence[Json] = TOOLS,
    later: Sequence[str] = (),
) -> Played:
    """Work `lead` with `model` to the end.

    `answers` replaces results by tool name (an error starts with ERROR); `later` are messages that the lead
    writes while the actions of the second turn are decided.
    """
    played = Played([task(lead)])
    given = _ANSWERS | (answers or {})
    for _ in range(8):
        body = request(*played.messages, system="You process leads.", tools=list(tools))
        assert transcript.faults(body) == []
        reply = model.reply(body)
        content = wire_content(reply, body)
        played.messages.append(assistant(*content))
        calls = [block for block in content if block["type"] == "tool_use"]
        if reply.stop_reason is not StopReason.TOOL_USE:
            played.text = "\n".join(block["text"] for block in content if block["type"] == "text")
            return played
        played.calls += calls
        results = [_result(call["id"], given[call["name"]]) for call in calls]
        interrupted = later and len(played.messages) == 4
        words = [labelled("further_messages_of_the_lead", later)] if interrupted else []
        played.messages.append(user(*results, *words))
    raise AssertionError("the model did not finish within 8 turns")


def _result(ident: str, text: str) -> Json:
    return result(ident, text, is_error=True) if text.startswith("ERROR") else result(ident, text)
