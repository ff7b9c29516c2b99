"""Keyboards: one bad button refuses the whole message."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from telegram import (
    Bot,
    CopyTextButton,
    ForceReply,
    InlineKeyboardButton,
    InlineKeyboardMarkup,
    KeyboardButton,
    ReplyKeyboardMarkup,
)
from telegram.error import BadRequest

from bot.sandbox.chats import User
from bot.sandbox.world import World


def keyboard(**button: Any) -> dict[str, Any]:
    return {"inline_keyboard": [[{"text": "x", **button}]]}


async def test_the_buttons_of_a_card(world: World, bot: Bot, dana: User) -> None:
    """Data up to 64 bytes, a style, text to copy, links and profiles all come back as they were sent."""
    markup = InlineKeyboardMarkup(
        [
            [
                InlineKeyboardButton("✅", callback_data="ы" * 32, style="success"),
                InlineKeyboardButton("❌", callback_data="x", style="danger"),
            ],
            [
                InlineKeyboardButton("Copy", copy_text=CopyTextButton("t" * 256)),
                InlineKeyboardButton("WhatsApp", url="https://wa.me/77010000000"),
                InlineKeyboardButton("Profile", url=f"tg://user?id={dana.id}"),
            ],
        ]
    )
    assert (await bot.send_message(world.group.id, "card", reply_markup=markup)).reply_markup == markup


@pytest.mark.parametrize(
    ("button", "reason"),
    [
        ({}, "Text buttons are unallowed in the inline keyboard"),
        ({"callback_data": "x", "url": "https://a.bc"}, "exactly one action"),
        ({"callback_data": ""}, "BUTTON_DATA_INVALID"),
        ({"callback_data": "ы" * 33}, "BUTTON_DATA_INVALID"),
        ({"copy_text": {"text": ""}}, "BUTTON_COPY_TEXT_INVALID"),
        ({"copy_text": {"text": "x" * 257}}, "BUTTON_COPY_TEXT_INVALID"),
        ({"url": "javascript:alert(1)"}, "inline keyboard button URL 'javascript:alert(1)' is invalid"),
        ({"url": "ftp://a.bc"}, "Unsupported URL protocol"),
        ({"url": "https://"}, "URL host is empty"),
        ({"url": "https://no spaces.bc"}, "Wrong HTTP URL"),
        ({"url": "https://localhost"}, "Wrong HTTP URL"),
        ({"url": "https://a.bc:port"}, "Wrong HTTP URL"),
        ({"callback_data": "x", "style": "purple"}, "invalid button style"),
        ({"callback_data": "x", "colour": "red"}, 'unknown field "colour"'),
        ({"callback_data": "x", "text": " "}, "text must be non-empty"),
        ({"web_app": {"url": "https://a.bc"}}, "BUTTON_TYPE_INVALID"),
    ],
)
async def test_a_bad_button_refuses_the_message(
    world: World, http: httpx.AsyncClient, button: dict[str, Any], reason: str
) -> None:
    """Nothing is posted, and the reason is told."""
    body = {"chat_id": world.group.id, "text": "card", "reply_markup": keyboard(**button)}
    answer = await http.post("sendMessage", json=body)
    assert answer.status_code == 400
    assert reason in answer.json()["description"]
    assert world.sent(world.group.id) == []


async def test_a_profile_may_be_hidden(world: World, bot: Bot, dana: User) -> None:
    """A person's privacy settings refuse the button to their profile, and with it the card."""
    world.hidden_profiles.add(dana.id)
    button = InlineKeyboardButton("Profile", url=f"tg://user?id={dana.id}")
    with pytest.raises(BadRequest, match="Button_user_privacy_restricted"):
        await bot.send_message(world.group.id, "card", reply_markup=InlineKeyboardMarkup([[button]]))


@pytest.mark.parametrize("markup", ["{}", '{"inline_keyboard": []}', '{"inline_keyboard": [[]]}', ""])
async def test_an_empty_markup_is_no_keyboard(
    world: World, http: httpx.AsyncClient, dana: User, markup: str
) -> None:
    """`{}` means none, also in an edit that takes a keyboard away."""
    place = {"chat_id": str(dana.id), "message_id": "2"}
    body = {"chat_id": dana.id, "text": "x", "reply_markup": keyboard(callback_data="y")}
    await http.post("sendMessage", json=body)
    answer = await http.post("editMessageReplyMarkup", data=place | {"reply_markup": markup})
    assert "reply_markup" not in answer.json()["result"]


async def test_keyboards_for_typing_are_no_part_of_the_message(world: World, bot: Bot, dana: User) -> None:
    """They are kept for the page; a phone number can be asked for in private only; edits can't have them."""
    ask = ReplyKeyboardMarkup([[KeyboardButton("My number", request_contact=True)]], resize_keyboard=True)
    message = await bot.send_message(dana.id, "Your number?", reply_markup=ask)
    assert message.reply_markup is None
    kept = world.message(dana.id, message.message_id)
    assert kept
    assert kept.reply_keyboard == ask.to_dict()
    with pytest.raises(BadRequest, match="Phone number can be requested in private chats only"):
        await bot.send_message(world.group.id, "Your number?", reply_markup=ask)
    await bot.send_message(world.group.id, "New text?", reply_markup=ForceReply(selective=True))
    with pytest.raises(BadRequest, match="Inline keyboard expected"):
        await bot.edit_message_text("x", dana.id, message.message_id, reply_markup=ask)  # type: ignore[arg-type]


@pytest.mark.parametrize("markup", ["[]", "7", '{"keyboard": 1}', '{"buttons": []}', "{"])
async def test_what_is_no_markup(http: httpx.AsyncClient, dana: User, markup: str) -> None:
    """Neither another type, nor unknown fields, nor broken JSON."""
    data = {"chat_id": str(dana.id), "text": "x", "reply_markup": markup}
    assert (await http.post("sendMessage", data=data)).status_code == 400
