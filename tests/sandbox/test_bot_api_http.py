"""The wire: tokens, bodies, parameters; and the whole round trip of a press."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup
from telegram.error import InvalidToken

from bot.sandbox.chats import User
from bot.sandbox.world import World


async def test_a_wrong_token_is_unauthorized(world: World, bot: Bot, url: str) -> None:
    """401, also for files, and the client's own error."""
    async with httpx.AsyncClient(base_url=url, trust_env=False) as client:
        for path in ("/bot1:x/getMe", "/file/bot1:x/documents/y"):
            answer = await client.get(path)
            assert (answer.status_code, answer.json()["description"]) == (401, "Unauthorized")
    impostor = Bot("1:x", base_url=f"{url}/bot")
    with pytest.raises(InvalidToken):
        await impostor.initialize()
    await impostor.shutdown()


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}])
async def test_web_pages_are_no_bots(http: httpx.AsyncClient, headers: dict[str, str]) -> None:
    """A page that guessed the token can't act as the bot."""
    assert (await http.post("getMe", headers=headers)).status_code == 403


async def test_an_unknown_method_is_not_found(world: World, http: httpx.AsyncClient) -> None:
    """404, while a known one may be written in any case, as GET or POST."""
    assert (await http.get("sendTelegram")).status_code == 404
    assert (await http.get("getme")).json()["result"]["id"] == world.me.id
    assert (await http.post("GETME")).json()["ok"]


async def test_every_kind_of_body(http: httpx.AsyncClient, dana: User) -> None:
    """Query string, form, multipart and JSON say the same."""
    fields = {"chat_id": str(dana.id), "text": "hi & я", "reply_markup": "{}", "disable_notification": "true"}
    typed = {"chat_id": dana.id, "text": "hi & я", "reply_markup": {}, "disable_notification": True}
    multipart = {name: (None, value) for name, value in fields.items()}
    answers = [
        await http.get("sendMessage", params=fields),
        await http.post("sendMessage", params=fields),
        await http.post("sendMessage", data=fields),
        await http.post("sendMessage", files=multipart),
        await http.post("sendMessage", json=typed),
        await http.post("sendMessage", json=fields),
    ]
    assert [answer.json()["result"]["text"] for answer in answers] == ["hi & я"] * 6


async def test_an_upload_in_a_part_of_another_name(http: httpx.AsyncClient, dana: User) -> None:
    """`attach://` names it."""
    data = {"chat_id": str(dana.id), "document": "attach://upload"}
    answer = await http.post("sendDocument", data=data, files={"upload": ("a.txt", b"text")})
    assert answer.json()["result"]["document"]["file_name"] == "a.txt"
    stray = await http.post("sendDocument", data=data, files={"upload": b"1", "other": b"2"})
    assert stray.json()["description"] == 'Bad Request: unknown parameter "other" of sendDocument'


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"chat_id": 1, "text": "x", "silent": True}, 'unknown parameter "silent" of sendMessage'),
        ({"text": "x"}, "chat_id is empty"),
        ({"chat_id": 1}, "message text is empty"),
        ({"chat_id": 1, "text": 5}, 'parameter "text" must be of type string'),
        ({"chat_id": [], "text": "x"}, 'parameter "chat_id" must be of type chat'),
        ({"chat_id": 1, "text": "x", "message_thread_id": True}, "must be of type integer"),
        ({"chat_id": 1, "text": "x", "message_thread_id": "x"}, "must be of type integer"),
        ({"chat_id": 1, "text": "x", "reply_parameters": "{"}, "can't parse reply parameters JSON object"),
    ],
)
async def test_parameters_are_checked(http: httpx.AsyncClient, body: dict[str, object], reason: str) -> None:
    """Unknown, missing, of another type, broken: 400 with a word why."""
    answer = await http.post("sendMessage", json=body)
    assert answer.status_code == 400
    assert reason in answer.json()["description"]


async def test_fields_of_a_reply_are_checked(http: httpx.AsyncClient, dana: User) -> None:
    """They are parameters too."""
    replies: list[Any] = [{"message_id": 1, "quite": "x"}, {"message_id": 1, "chat_id": -5}, []]
    for reply in replies:
        body = {"chat_id": dana.id, "text": "x", "reply_parameters": reply}
        assert (await http.post("sendMessage", json=body)).status_code == 400


@pytest.mark.parametrize("content", [b"{", b"[]", b"7"])
async def test_a_body_that_is_no_object(http: httpx.AsyncClient, content: bytes) -> None:
    """Broken JSON is answered like any bad request."""
    answer = await http.post("getMe", content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400


async def test_calls_and_refusals_are_noted(world: World, http: httpx.AsyncClient, dana: User) -> None:
    """Every readable call with typed parameters; every refusal with its reason."""
    data = {"chat_id": str(dana.id), "text": "x", "reply_markup": json.dumps({"inline_keyboard": []})}
    await http.post("sendMessage", data=data)
    await http.post("sendMessage", data={"chat_id": "5", "text": "x"})
    first, second = world.calls
    assert first.params == {"chat_id": dana.id, "text": "x", "reply_markup": {"inline_keyboard": []}}
    assert first.at == second.at == world.clock()
    (refusal,) = world.refusals
    assert (refusal.method, refusal.status) == ("sendMessage", 400)
    assert refusal.description == "Bad Request: chat not found"


async def test_lead_card_press_toast_edit(world: World, bot: Bot, dana: User, olga: User) -> None:
    """The product's main path through polling: a lead, a card, a press that is answered and shown."""
    (lead,) = await bot.get_updates(timeout=5)
    buttons = InlineKeyboardMarkup([[InlineKeyboardButton("✅ Approve", callback_data="a")]])
    card = await bot.send_message(world.group.id, "Reply to Dana", reply_markup=buttons)
    poll = asyncio.create_task(bot.get_updates(offset=lead.update_id + 1, timeout=20))
    query_id = world.press(olga, world.group.id, card.message_id, "a")
    (press,) = await poll
    assert press.callback_query
    await press.callback_query.answer("Approved")
    await press.callback_query.edit_message_text("Reply to Dana · ✅ Approved by Olga")
    await bot.send_message(dana.id, "We will call you")
    answer = world.queries[query_id].answer
    assert answer
    assert answer.text == "Approved"
    assert [body["text"] for body in world.sent(world.group.id)] == ["Reply to Dana · ✅ Approved by Olga"]
    assert [body["text"] for body in world.sent(dana.id)] == ["We will call you"]
    assert world.refusals == []
