"""A stand-in for a model that classifies records: reads each once, answers by a few words of its text."""

from __future__ import annotations

import json
from typing import Any

from bot.sandbox.script import Turn, call, labelled, say, turn
from bot.sandbox.transcript import Json, turns

READ = "read_demo_record"
_COMMANDS = ("игнорируй", "ignore", "елеме")
_DELETIONS = ("удалите", "удали ", "delete", "жойыңыз", "жой ")


def classifies(body: Json) -> bool:
    """Whether the request `body` asks for a record that can be read."""
    offered = any(tool.get("name") == READ for tool in body.get("tools") or [])
    return offered and isinstance(_record_id(body), str)


class RecordModel:
    """Keeps nothing between calls: what was read is in the request, as for the real model."""

    def reply(self, body: Json) -> Turn:
        """Return the next turn of the conversation `body`: the read, then the answer."""
        results = [block for merged in turns(body) for block in merged.of_type("tool_result")]
        if not results:
            return turn(call(READ, {"record_id": _record_id(body)}))
        return turn(say(json.dumps(_answer(json.loads(results[-1]["content"])), ensure_ascii=False)))


def _record_id(body: Json) -> Any:
    return next((value for label, value in labelled(turns(body)[0]) if label == "record_id"), None)


def _answer(given: Json) -> Json:
    text, requested_date = given["record"]["text"], given["record"]["requested_date"]
    commands = any(word in text.casefold() for word in _COMMANDS)
    deletes = not commands and any(word in text.casefold() for word in _DELETIONS)
    missing = requested_date is None and not (commands or deletes)
    return {
        "category": "synthetic_request",
        "requested_date": requested_date,
        "summary": _summary(text, given["attempt"], commands=commands, deletes=deletes, missing=missing),
        "proposed_action": "Уточнить дату у ответственного" if missing else None,
        "requested_operation": "delete_demo_record" if deletes else None,
        "untrusted_instruction": commands,
    }


def _summary(text: str, attempt: int, *, commands: bool, deletes: bool, missing: bool) -> str:
    if commands:
        return "Запись содержит недоверенную команду"
    if deletes:
        return "Запрошено удаление демонстрационной записи"
    if missing:
        return "Запрос указан без даты"
    if attempt > 1:
        return "Запись прочитана после временного сбоя"
    return text.replace("Нужна", "Запрошена", 1)
