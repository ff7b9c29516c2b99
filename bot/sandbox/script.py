"""Scripted turns for the stand-in model: what to answer, written down beforehand."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from bot.sandbox.transcript import Json, signature, turns
from bot.sandbox.transcript import Turn as MergedTurn

_DECODER = json.JSONDecoder()
_LABEL = re.compile(r"<(?P<name>[a-z_]+)>\s*")


class StopReason(StrEnum):
    """Why a model stopped, in the API's words."""

    END_TURN = "end_turn"
    MAX_TOKENS = "max_tokens"
    STOP_SEQUENCE = "stop_sequence"
    TOOL_USE = "tool_use"
    PAUSE_TURN = "pause_turn"
    REFUSAL = "refusal"
    CONTEXT_WINDOW = "model_context_window_exceeded"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Token counts of one reply; the defaults are the specification's made-up numbers."""

    input_tokens: int | None = 1800
    output_tokens: int | None = 120
    cache_creation_input_tokens: int | None = 0
    cache_read_input_tokens: int | None = 0


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call; its id is made when it is sent. `input` is an object unless a model errs on purpose."""

    name: str
    input: Any


@dataclass(frozen=True, slots=True)
class Say:
    """A text block."""

    text: str


@dataclass(frozen=True, slots=True)
class Think:
    """A thinking block; its signature is made when it is sent."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One reply of the model."""

    content: tuple[Call | Say | Think, ...]
    stop_reason: StopReason
    usage: Usage = Usage()


class Model(Protocol):
    """Whatever answers requests; the same request always gets the same answer."""

    def reply(self, body: Json) -> Turn: ...


def call(name: str, arguments: Json | None = None) -> Call:
    """Return a call of the tool `name`."""
    return Call(name, arguments or {})


def say(text: str) -> Say:
    """Return a block that says `text`."""
    return Say(text)


def think(text: str) -> Think:
    """Return a block that thinks `text`."""
    return Think(text)


def turn(*content: Call | Say | Think, usage: Usage | None = None) -> Turn:
    """Return a turn that stops for its tool calls where it has any, else because it is finished."""
    calls = any(isinstance(block, Call) for block in content)
    return Turn(
        content=content,
        stop_reason=StopReason.TOOL_USE if calls else StopReason.END_TURN,
        usage=usage or Usage(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """What a request says about its lead; a missing field is an empty string."""

    id: str = ""
    name: str = ""
    phone: str = ""
    message: str = ""


class ScriptError(LookupError):
    """No script fits the request, or its script has no turn left."""


def any_lead(_: Lead) -> bool:
    """Accept every lead."""
    return True


@dataclass(frozen=True, slots=True)
class Script:
    """The turns of one conversation, in order, for the leads that `when` accepts."""

    turns: Sequence[Turn]
    when: Callable[[Lead], bool] = any_lead

    def reply(self, body: Json) -> Turn:
        """Return the turn that is due in `body`; raises ScriptError after the last."""
        number = turns_done(body)
        if number >= len(self.turns):
            raise ScriptError(f"the script has {len(self.turns)} turns; turn {number + 1} was asked for")
        return self.turns[number]


@dataclass(frozen=True, slots=True)
class Scripts:
    """Several scripts; the first that accepts the lead of a request answers it."""

    scripts: Sequence[Script]

    def reply(self, body: Json) -> Turn:
        """Return the due turn of the lead's script; raises ScriptError where no script accepts the lead."""
        lead = lead_of(body)
        for script in self.scripts:
            if script.when(lead):
                return script.reply(body)
        raise ScriptError(f"no script accepts the lead {lead.id!r}")


def turns_done(body: Json) -> int:
    """Return how many turns of the model in `body` are finished: a repeated request gets the same number.

    A paused turn that is handed back as the last message is still going on.
    """
    return sum(turn.role == "assistant" for turn in turns(body)[:-1])


def lead_of(body: Json) -> Lead:
    """Return the lead that the first user message of `body` labels `<lead>`; an empty Lead without one."""
    found = next((value for label, value in labelled(turns(body)[0]) if label == "lead"), None)
    fields = found if isinstance(found, dict) else {}
    return Lead(**{name: _word(fields.get(name)) for name in ("id", "name", "phone", "message")})


def labelled(turn: MergedTurn) -> Iterator[tuple[str, Any]]:
    """Yield (label, value) of the JSON behind each label such as `<lead>` in the texts of `turn`.

    The search goes on behind the JSON, so a label inside a lead's words is only words.
    """
    for block in turn.of_type("text"):
        text, position = block["text"], 0
        while label := _LABEL.search(text, position):
            position = label.end()
            try:
                value, position = _DECODER.raw_decode(text, position)
            except ValueError:
                continue
            yield label["name"], value


def wire_content(reply: Turn, body: Json) -> list[Json]:
    """Return the content of `reply` as JSON, with the ids and signatures that it has in answer to `body`."""
    merged = turns(body)
    # A paused turn that goes on is part of the turn being written, not of what came before it.
    earlier = merged[:-1] if merged[-1].role == "assistant" else merged
    conversation = _conversation(merged[0])
    return [
        _wire_block(
            block, f"toolu_{conversation}_{turns_done(body):02d}_{index:02d}", signature(body, earlier)
        )
        for index, block in enumerate(reply.content)
    ]


def message_id(body: Json) -> str:
    """Return the id of the message that answers `body`: the same for a repeated request."""
    return f"msg_{_conversation(turns(body)[0])}_{turns_done(body):02d}"


def _wire_block(block: Call | Say | Think, ident: str, signed: str) -> Json:
    match block:
        case Call():
            return {"type": "tool_use", "id": ident, "name": block.name, "input": block.input}
        case Say():
            return {"type": "text", "text": block.text}
        case Think():
            return {"type": "thinking", "thinking": block.text, "signature": signed}


def _conversation(first: MergedTurn) -> str:
    texts = "\n".join(block["text"] for block in first.of_type("text"))
    return hashlib.sha256(texts.encode()).hexdigest()[:16]


def _word(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
