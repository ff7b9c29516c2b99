"""The sandbox's own endpoints: what the page shows and does, and whom they refuse."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from telegram import Bot, ReplyKeyboardMarkup
from telegram.constants import ParseMode

from bot.sandbox.chats import User
from bot.sandbox.control import PAGE
from bot.sandbox.world import World


@pytest.fixture
async def control(url: str) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=f"{url}/sandbox/", trust_env=False) as client:
        yield client


async def test_the_state_of_the_world(
    world: World, bot: Bot, control: httpx.AsyncClient, url: str, dana: User, olga: User
) -> None:
    """Who is there, what was said as safe HTML, what was reacted and what came silently."""
    await bot.send_message(dana.id, "<b>&lt;3</b>", parse_mode=ParseMode.HTML, disable_notification=True)
    await bot.send_message(dana.id, "?", reply_markup=ReplyKeyboardMarkup([["Call me"]]))
    await bot.send_document(world.group.id, b"all of it", filename="card.txt", caption="card")
    await bot.set_message_reaction(dana.id, 1, "👀")
    world.journal({"step": 1})
    state = (await control.get("state")).json()
    assert state["me"]["username"] == "StudioSandboxBot"
    assert state["operators"] == [{"id": olga.id, "name": "Olga", "blocked": False}]
    assert state["leads"] == [{"id": dana.id, "name": "Dana", "blocked": False}]
    assert state["group_id"] == world.group.id
    assert state["journal"] == [{"step": 1}]
    private = state["chats"][str(dana.id)]
    hello, love, question = private["messages"]
    assert (private["type"], private["title"]) == ("private", "Dana")
    assert hello["reactions"] == ["👀"]
    assert (love["html"], love["silent"], hello["silent"]) == ("<b>&lt;3</b>", True, False)
    assert question["reply_markup"]["keyboard"] == [[{"text": "Call me"}]]
    (card,) = state["chats"][str(world.group.id)]["messages"]
    assert card["html"] == "card"
    file = await control.get(f"{url}{card['document']['url']}")
    assert file.content == b"all of it"
    assert file.headers["content-disposition"] == "attachment"


async def test_the_page_acts_for_people(world: World, bot: Bot, control: httpx.AsyncClient) -> None:
    """Everything that a person can do on it becomes an update."""

    async def post(path: str, **body: object) -> Any:
        answer = await control.post(path, json=body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    erlan = (await post("people", name="Ерлан", language_code="kk", operator=False))["id"]
    said = await post("say", user_id=erlan, name="Ерлан", chat_id=None, text="сәлем", reply_to=None)
    await post("say", user_id=erlan, chat_id=None, text="re", reply_to=said["message_id"])
    await post("contact", user_id=erlan, phone="+77010000000")
    await post("media", user_id=erlan, kind="voice", caption=None)
    card = await bot.send_message(world.group.id, "card")
    press = {"chat_id": world.group.id, "message_id": card.message_id, "data": "a"}
    query = await post("press", user_id=999_000_001, name="Stranger", **press)
    await post("block", user_id=erlan, blocked=True)
    first, reply, contact, voice, pressed, blocked = await bot.get_updates()
    assert first.message
    assert (first.message.text, first.message.message_id) == ("сәлем", said["message_id"])
    assert reply.message
    assert reply.message.reply_to_message == first.message
    assert contact.message
    assert contact.message.contact
    assert voice.message
    assert voice.message.voice
    assert pressed.callback_query
    assert pressed.callback_query.id == query["callback_query_id"]
    assert pressed.callback_query.from_user.first_name == "Stranger"
    assert blocked.my_chat_member
    assert [user.id for user in world.leads()] == [erlan]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("say", {"text": "x"}),
        ("say", {"user_id": 1, "text": "x", "chat_id": -1}),
        ("say", {"user_id": "x", "text": "x"}),
        ("media", {"user_id": 1, "kind": "hologram"}),
        ("people", {}),
        ("people", []),
    ],
)
async def test_nonsense_is_refused(control: httpx.AsyncClient, path: str, body: Any) -> None:
    """400 with a reason, not a crash."""
    answer = await control.post(path, json=body)
    assert answer.status_code == 400
    assert answer.json()["error"]


@pytest.mark.parametrize(
    "body",
    ["[", '{"user_id": 1e400, "text": "x"}', '{"text": ' + "[" * 100_000],
    ids=["broken", "infinite", "deep"],
)
async def test_a_body_that_no_page_sends_is_refused(control: httpx.AsyncClient, body: str) -> None:
    """Whatever JSON may hold, or what is none: 400 with a reason."""
    answer = await control.post("say", content=body)
    assert answer.status_code == 400
    assert answer.json()["error"]


async def next_event(lines: AsyncIterator[str]) -> dict[str, Any]:
    async for line in lines:
        if line.startswith("data: "):
            event: dict[str, Any] = json.loads(line.removeprefix("data: "))
            return event
    raise AssertionError("the stream ended")


async def test_events_reach_every_listener(
    world: World, bot: Bot, control: httpx.AsyncClient, dana: User, olga: User
) -> None:
    """Messages, edits, reactions, toasts, deletions, typing, people and the journal, in order."""
    async with control.stream("GET", "events") as one, control.stream("GET", "events") as two:
        assert one.headers["content-type"].startswith("text/event-stream")
        streams = [one.aiter_lines(), two.aiter_lines()]
        for lines in streams:
            assert await anext(lines) == ": listening"
        card = await bot.send_message(world.group.id, "<i>card</i>", parse_mode=ParseMode.HTML)
        await bot.edit_message_text("done", world.group.id, card.message_id)
        await bot.set_message_reaction(dana.id, 1, "👀")
        await bot.answer_callback_query(world.press(olga, world.group.id, 1, "a"), "Approved")
        await bot.send_chat_action(dana.id, "typing")
        world.delete(world.group.id, card.message_id)
        world.journal({"step": 1})
        world.add_person("Ерлан")
        for lines in streams:
            async with asyncio.timeout(10):
                events = [await next_event(lines) for _ in range(8)]
            posted, edited, reacted, toast, typing, deleted, journal, person = events
            assert (posted["type"], posted["chat_id"]) == ("message", world.group.id)
            assert posted["message"]["html"] == "<i>card</i>"
            assert (edited["type"], edited["message"]["html"]) == ("edit", "done")
            assert reacted == {"type": "reaction", "chat_id": dana.id, "message_id": 1, "reactions": ["👀"]}
            assert (toast["type"], toast["user_id"], toast["text"]) == ("toast", olga.id, "Approved")
            assert typing == {"type": "typing", "chat_id": dana.id, "action": "typing"}
            assert deleted == {"type": "delete", "chat_id": world.group.id, "message_id": card.message_id}
            assert journal == {"type": "journal", "line": {"step": 1}}
            assert (person["type"], person["user"]["name"]) == ("chat", "Ерлан")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Host": "localhost:8081"}, 200),
        ({"Host": "[::1]:8081"}, 200),
        ({"Host": "evil.example"}, 403),
        ({"Host": "127.0.0.1.evil.example:80"}, 403),
        ({"Host": "[::1"}, 403),
        ({"Host": "localhost:8081", "Origin": "http://localhost:8081"}, 200),
        ({"Host": "localhost:8081", "Origin": "http://localhost:9999"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
async def test_only_this_machines_own_page(
    control: httpx.AsyncClient, headers: dict[str, str], status: int
) -> None:
    """Against DNS rebinding the host, against other pages the origin, for reading and acting alike."""
    assert (await control.get("state", headers=headers)).status_code == status
    answer = await control.post("people", headers=headers, json={"name": "x"})
    assert answer.status_code == status


async def test_the_page_is_served(control: httpx.AsyncClient, url: str) -> None:
    """At the root, with its files beside it."""
    assert (await control.get(f"{url}/")).text == (PAGE / "index.html").read_text()
    assert "javascript" in (await control.get(f"{url}/app.js")).headers["content-type"]
