"""Trouble on demand and flood limits, as the real client feels them."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any

import httpx
import pytest
from telegram import Bot
from telegram.error import BadRequest, NetworkError, RetryAfter, TelegramError, TimedOut

from bot.sandbox.chats import User
from bot.sandbox.faults import Fault, FaultKind
from bot.sandbox.floods import FloodLimits
from bot.sandbox.world import World
from tests.sandbox.conftest import Clock


async def test_429_with_and_without_retry_after(world: World, bot: Bot, dana: User) -> None:
    """With its parameter it is RetryAfter; without it looks like any fault of the network."""
    busy = Fault(kind=FaultKind.ERROR, status=429, description="Too Many Requests", retry_after=7)
    world.faults.add(busy)
    with pytest.raises(RetryAfter) as error:
        await bot.send_message(dana.id, "hi")
    assert error.value.retry_after == timedelta(seconds=7)
    world.faults.add(Fault(kind=FaultKind.ERROR, status=429, description="Too Many Requests"))
    with pytest.raises(NetworkError):
        await bot.send_message(dana.id, "hi")
    assert world.sent(dana.id) == []


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault(kind=FaultKind.GATEWAY, status=502, description="Bad Gateway"), NetworkError),
        (Fault(kind=FaultKind.GATEWAY, status=504, description="Gateway Time-out"), NetworkError),
        (Fault(kind=FaultKind.HTML), TelegramError),
        (Fault(kind=FaultKind.NOT_OK, description="odd"), KeyError),
        (Fault(kind=FaultKind.RESET), NetworkError),
        (Fault(kind=FaultKind.ERROR, status=400, description="Bad Request: odd"), BadRequest),
    ],
)
async def test_refused_before_it_happened(
    world: World, bot: Bot, dana: User, fault: Fault, error: type[Exception]
) -> None:
    """Nothing is posted, the call is known with its fault, and the next call is well."""
    world.faults.add(fault)
    with pytest.raises(error):
        await bot.send_message(dana.id, "hi")
    assert world.sent(dana.id) == []
    assert [call.fault for call in world.calls if call.method == "sendMessage"] == [fault.kind]
    await bot.send_message(dana.id, "hi")


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (Fault(kind=FaultKind.LOST), NetworkError),
        (Fault(kind=FaultKind.SILENT), TimedOut),
        (Fault(kind=FaultKind.SLOW, seconds=30), TimedOut),
    ],
)
async def test_the_answer_is_lost_but_the_message_is_there(
    world: World, bot: Bot, dana: User, fault: Fault, error: type[Exception]
) -> None:
    """What a client can't tell from the cases above."""
    world.faults.add(fault)
    with pytest.raises(error):
        await bot.send_message(dana.id, "hi", read_timeout=0.05)
    assert [body["text"] for body in world.sent(dana.id)] == ["hi"]


async def test_a_slow_answer_comes_in_the_end(world: World, bot: Bot, dana: User) -> None:
    """After the delay, for a client that waits."""
    world.faults.add(Fault(kind=FaultKind.SLOW, seconds=0.05))
    begun = time.monotonic()
    assert (await bot.send_message(dana.id, "hi")).text == "hi"
    assert time.monotonic() - begun >= 0.05


async def test_faults_are_aimed_and_counted(world: World, bot: Bot, dana: User) -> None:
    """By method and chat, after some calls, for some calls; every fault that fits counts a call."""
    world.faults.add(Fault(kind=FaultKind.GATEWAY, method="sendMessage", chat_id=dana.id, after=1, times=2))
    await bot.get_me()
    await bot.send_message(world.group.id, "elsewhere")
    await bot.send_message(dana.id, "spared")
    for _ in range(2):
        with pytest.raises(NetworkError):
            await bot.send_message(dana.id, "struck")
    assert world.faults.waiting() == []
    await bot.send_message(dana.id, "over")


async def test_a_fault_for_all_calls_lasts_until_cleared(world: World, bot: Bot) -> None:
    """`times` None has no end; getUpdates is struck like anything."""
    world.faults.add(Fault(kind=FaultKind.GATEWAY, times=None))
    for _ in range(3):
        with pytest.raises(NetworkError):
            await bot.get_updates()
    world.faults.clear()
    await bot.get_updates()


async def test_faults_over_http(world: World, bot: Bot, url: str, dana: User) -> None:
    """Armed, listed and cleared by the control endpoint; unknown words are refused."""
    async with httpx.AsyncClient(base_url=f"{url}/sandbox/", trust_env=False) as control:
        armed = await control.post("faults", json={"kind": "lost", "method": "sendMessage", "times": 1})
        assert armed.json()["kind"] == "lost"
        assert [one["method"] for one in (await control.get("faults")).json()] == ["sendMessage"]
        with pytest.raises(NetworkError):
            await bot.send_message(dana.id, "hi")
        assert (await control.get("faults")).json() == []
        odd: list[Any] = [
            {"kind": "odd"},
            {},
            {"kind": "lost", "often": 3},
            {"kind": "lost", "times": "x"},
            [],
        ]
        for wrong in odd:
            assert (await control.post("faults", json=wrong)).status_code == 400
        await control.post("faults", json={"kind": "lost"})
        await control.delete("faults")
        assert world.faults.waiting() == []


@pytest.fixture
def flooded(world: World) -> World:
    world.floods = FloodLimits()
    return world


async def test_one_message_a_second_in_private(flooded: World, clock: Clock, bot: Bot, dana: User) -> None:
    """Edits count too; a second later it goes on."""
    message = await bot.send_message(dana.id, "one")
    with pytest.raises(RetryAfter) as error:
        await bot.edit_message_text("two", dana.id, message.message_id)
    assert error.value.retry_after == timedelta(seconds=1)
    clock.now += 1
    await bot.edit_message_text("two", dana.id, message.message_id)


async def test_twenty_messages_a_minute_in_a_group(flooded: World, clock: Clock, bot: Bot) -> None:
    """The wait that is told is the one that helps."""
    for number in range(20):
        await bot.send_message(flooded.group.id, str(number))
        clock.now += 1
    with pytest.raises(RetryAfter) as error:
        await bot.send_message(flooded.group.id, "21")
    assert error.value.retry_after == timedelta(seconds=40)
    clock.now += 40
    await bot.send_message(flooded.group.id, "21")


async def test_flood_limits_are_switched_over_http(world: World, url: str) -> None:
    """They are off until then."""
    async with httpx.AsyncClient(base_url=f"{url}/sandbox/", trust_env=False) as control:
        seen = [world.floods is not None]
        for on in (True, False):
            await control.post("floods", json={"on": on})
            seen.append(world.floods is not None)
    assert seen == [False, True, False]


async def test_thirty_messages_a_second_overall(flooded: World, bot: Bot) -> None:
    """Whatever the chats; other methods don't count."""
    people = [flooded.add_person(str(number)) for number in range(31)]
    for person in people:
        flooded.say(person, "hi")
    for person in people[:30]:
        await bot.send_message(person.id, "hi")
    with pytest.raises(RetryAfter):
        await bot.send_message(people[30].id, "hi")
    await bot.get_me()
