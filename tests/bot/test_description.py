"""The bot's calls against the machine-readable description of the Bot API."""

from __future__ import annotations

from typing import Any

import pytest

from bot.sandbox.state import Call
from tests.bot.description import description, faults_of_calls
from tests.bot.harness import APPROVE, Office


@pytest.fixture(autouse=True)
def _described() -> None:
    if description() is None:
        pytest.skip("BOT_API_DESCRIPTION names no description of the Bot API (JSON with methods and types)")


async def test_every_call_is_as_described(stopped: Office) -> None:
    """Every kind of call the bot makes; the harness checks those of all other tests too."""
    await stopped.start(greeting="", acknowledgement="", reaction="👀", operator_ids="members")
    dana = stopped.lead(text="/start")
    stopped.world.say(dana, "&" * 2000)
    await stopped.pressed(await stopped.card("Dana"), APPROVE)
    await stopped.replied(dana)
    await stopped.command("/pending")
    called = {call.method for call in stopped.world.calls}
    assert called >= {
        "getMe",
        "getUpdates",
        "sendMessage",
        "sendDocument",
        "editMessageText",
        "answerCallbackQuery",
        "setMessageReaction",
        "getChatMember",
    }
    assert faults_of_calls(stopped.world.calls) == []


@pytest.mark.parametrize(
    "params",
    [
        {"text": "hi"},
        {"chat_id": 1},
        {"chat_id": 1.5, "text": "hi"},
        {"chat_id": 1, "text": "hi", "colour": "red"},
        {"chat_id": 1, "text": "hi", "disable_notification": "yes"},
        {"chat_id": 1, "text": "hi", "reply_markup": {"inline_keyboard": [{"text": "a"}]}},
        {"chat_id": 1, "text": "hi", "reply_markup": {"inline_keyboard": [[{"text": 5}]]}},
        {"chat_id": 1, "text": "hi", "reply_markup": {"inline_keyboard": [[{"text": "a", "size": 5}]]}},
    ],
)
def test_the_check_finds(params: dict[str, Any]) -> None:
    """Missing, unknown and wrongly typed parameters, also inside objects."""
    assert faults_of_calls([Call(method="sendMessage", params=params, at=0.0)])
