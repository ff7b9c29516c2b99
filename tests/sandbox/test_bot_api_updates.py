"""Receiving: getUpdates and webhooks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from telegram import Bot
from telegram.error import BadRequest, Conflict

from bot.sandbox.chats import User
from bot.sandbox.server import serve
from bot.sandbox.world import World
from tests.sandbox.conftest import Clock


async def waiting_poll(world: World, bot: Bot, **arguments: Any) -> asyncio.Task[Any]:
    """A long poll that has reached the server."""
    before = len(world.calls)
    poll = asyncio.create_task(bot.get_updates(timeout=50, **arguments))
    await world.until(lambda: len(world.calls) > before, what="the poll")
    return poll


async def test_updates_are_redelivered_until_confirmed(world: World, bot: Bot, dana: User) -> None:
    """Only a higher offset confirms, so what a crashed bot had fetched comes again."""
    world.say(dana, "again")
    first = await bot.get_updates()
    assert [update.message.text for update in first if update.message] == ["hello", "again"]
    assert await bot.get_updates() == first
    assert await bot.get_updates(offset=first[0].update_id + 1) == first[1:]
    assert await bot.get_updates(offset=first[-1].update_id + 1) == ()
    assert await bot.get_updates() == ()


async def test_limit_and_negative_offset(world: World, bot: Bot, dana: User) -> None:
    """`limit` takes the oldest; a negative offset forgets all but the latest."""
    for text in "abc":
        world.say(dana, text)
    assert [u.message.text for u in await bot.get_updates(limit=2) if u.message] == ["hello", "a"]
    assert [u.message.text for u in await bot.get_updates(offset=-2) if u.message] == ["b", "c"]
    assert len(await bot.get_updates()) == 2
    with pytest.raises(BadRequest):
        await bot.get_updates(limit=101)


async def test_a_long_poll_ends_with_the_first_update(world: World, bot: Bot, dana: User) -> None:
    """It waits without an answer and is answered at once when something comes."""
    world.updates.confirm(2**62)
    poll = await waiting_poll(world, bot)
    assert not poll.done()
    world.say(dana, "now")
    (update,) = await poll
    assert update.message.text == "now"


async def test_a_second_poller_ends_the_older_one(world: World, bot: Bot, url: str) -> None:
    """409 goes to the older; the younger goes on."""
    older = await waiting_poll(world, bot)
    async with Bot(world.token, base_url=f"{url}/bot") as second:
        younger = await waiting_poll(world, second)
        with pytest.raises(Conflict, match="terminated by other getUpdates request"):
            await older
        world.say(world.add_person("Dana"), "hi")
        assert len(await younger) == 1


async def test_a_poller_that_is_gone_holds_nothing(world: World, bot: Bot, http: httpx.AsyncClient) -> None:
    """After a broken connection the next poll is alone, and sees what came meanwhile."""
    with pytest.raises(httpx.ReadTimeout):
        await http.get("getUpdates", params={"timeout": 50}, timeout=0.05)
    world.say(world.add_person("Dana"), "hi")
    assert len(await bot.get_updates()) == 1
    assert world.refusals == []


async def test_allowed_updates_last_until_changed(world: World, bot: Bot, dana: User) -> None:
    """The choice holds for what comes later, also for calls that do not name it."""
    await bot.get_updates(offset=-1, allowed_updates=["callback_query"])
    await bot.get_updates(offset=2**31)
    world.say(dana, "unheard")
    world.press(dana, dana.id, 1, "x")
    (update,) = await bot.get_updates()
    assert update.callback_query
    await bot.get_updates(allowed_updates=[])
    world.say(dana, "heard")
    assert len(await bot.get_updates()) == 2


async def test_presses_and_messages_grow_old(world: World, clock: Clock, bot: Bot, dana: User) -> None:
    """A press waits 150 seconds, a message a day."""
    world.press(dana, dana.id, 1, "x")
    clock.now += 151
    (update,) = await bot.get_updates()
    assert update.message
    clock.now += 24 * 3600
    assert await bot.get_updates() == ()


@dataclass(slots=True)
class Receiver:
    """The bot's own web server."""

    url: str = ""
    statuses: list[int] = field(default_factory=list)
    seen: list[tuple[str | None, dict[str, Any]]] = field(default_factory=list)
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    wanted: int = 1

    async def __call__(self, request: Request) -> Response:
        secret = request.headers.get("X-Telegram-Bot-Api-Secret-Token")
        self.seen.append((secret, await request.json()))
        if len(self.seen) >= self.wanted:
            self.arrived.set()
        return Response(status_code=self.statuses.pop(0) if self.statuses else 200)

    async def receive(self, count: int) -> list[dict[str, Any]]:
        self.wanted = count
        if len(self.seen) < count:
            self.arrived.clear()
            async with asyncio.timeout(10):
                await self.arrived.wait()
        return [update for _, update in self.seen]


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    receiver = Receiver()
    async with serve(Starlette(routes=[Route("/hook", receiver.__call__, methods=["POST"])])) as url:
        receiver.url = f"{url}/hook"
        yield receiver


async def test_a_webhook_gets_updates_with_its_secret(
    world: World, bot: Bot, dana: User, receiver: Receiver
) -> None:
    """What waited and what comes, each with the secret header, each confirmed by its 2xx."""
    await bot.set_webhook(receiver.url, secret_token="s3cret")
    world.say(dana, "later")
    updates = await receiver.receive(2)
    assert [update["message"]["text"] for update in updates] == ["hello", "later"]
    assert {secret for secret, _ in receiver.seen} == {"s3cret"}
    await world.until(lambda: not world.updates.pending())


async def test_a_webhook_retries_in_order(world: World, bot: Bot, dana: User, receiver: Receiver) -> None:
    """Anything but 2xx brings the same update again before any later one, and shows in the info."""
    receiver.statuses = [503, 302, 200]
    world.say(dana, "second")
    await bot.set_webhook(receiver.url)
    updates = await receiver.receive(4)
    assert [update["message"]["text"] for update in updates] == ["hello", "hello", "hello", "second"]
    info = await bot.get_webhook_info()
    assert info.url == receiver.url
    assert info.last_error_message


async def test_webhook_and_polling_exclude_each_other(
    world: World, bot: Bot, dana: User, receiver: Receiver
) -> None:
    """setWebhook ends a poll with 409, and getUpdates is refused until deleteWebhook."""
    world.updates.confirm(2**62)
    poll = await waiting_poll(world, bot)
    await bot.set_webhook(receiver.url)
    with pytest.raises(Conflict, match="terminated by setWebhook request"):
        await poll
    with pytest.raises(Conflict, match="can't use getUpdates method while webhook is active"):
        await bot.get_updates()
    await bot.delete_webhook()
    world.say(dana, "polled")
    assert len(await bot.get_updates()) == 1


async def test_drop_pending_updates(bot: Bot, dana: User) -> None:
    """deleteWebhook can forget what waits."""
    await bot.delete_webhook(drop_pending_updates=True)
    assert await bot.get_updates() == ()


@pytest.mark.parametrize(
    ("address", "secret"),
    [("http://example.org/hook", None), ("ftp://127.0.0.1/", None), ("https://example.org", "no spaces")],
)
async def test_a_bad_webhook_is_refused(bot: Bot, address: str, secret: str | None) -> None:
    """Plain HTTP is for this machine only; the secret has its own alphabet."""
    with pytest.raises(BadRequest):
        await bot.set_webhook(address, secret_token=secret)
    assert (await bot.get_webhook_info()).url == ""
