"""The web server: /healthz, and Telegram's webhook."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from agent.clock import now
from bot.sandbox.faults import FaultKind
from bot.sandbox.updates import UpdateType
from bot.sandbox.webhook import SECRET_HEADER
from tests.bot.harness import APPROVE, NEED, Office
from tests.bot.test_intake import REFUSE

SECRET = "s3cret_" * 4
HOOK = "/telegram/webhook"


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


async def start_webhook(office: Office) -> None:
    port = free_port()
    await office.start(http_port=port, public_url=f"http://127.0.0.1:{port}", telegram_webhook_secret=SECRET)
    await office.until(lambda: office.calls("setWebhook"), "the webhook")


@pytest.fixture
async def hooked(stopped: Office) -> Office:
    """A bot that gets its updates by webhook."""
    await start_webhook(stopped)
    return stopped


@pytest.fixture
async def http(hooked: Office) -> AsyncIterator[httpx.AsyncClient]:
    """Whoever finds the address of the bot's web server."""
    async with httpx.AsyncClient(base_url=hooked.url, trust_env=False) as client:
        yield client


def update(update_id: int = 7, text: str = NEED) -> dict[str, Any]:
    person = {"id": 77, "is_bot": False, "first_name": "Dana"}
    chat = {"id": 77, "type": "private", "first_name": "Dana"}
    message = {"message_id": update_id, "date": 0, "chat": chat, "from": person, "text": text}
    return {"update_id": update_id, "message": message}


HEADERS = {SECRET_HEADER: SECRET}


async def test_leads_and_presses_come_by_webhook(hooked: Office) -> None:
    """The whole way without a single poll."""
    dana = hooked.lead()
    await hooked.pressed(await hooked.card("Dana"), APPROVE)
    await hooked.replied(dana)
    assert hooked.calls("getUpdates") == []
    (call,) = hooked.calls("setWebhook")
    assert call["secret_token"] == SECRET
    assert set(call["allowed_updates"]) == {"message", "edited_message", "callback_query", "my_chat_member"}


@pytest.mark.parametrize("secret", [None, "", "wrong", SECRET[:-1], SECRET + "x", "ключ".encode()])
async def test_a_wrong_secret(hooked: Office, http: httpx.AsyncClient, secret: Any) -> None:
    """Only Telegram knows the secret; everyone else is refused, and nothing is stored."""
    headers = {} if secret is None else {SECRET_HEADER: secret}
    answer = await http.post(HOOK, json=update(), headers=headers)
    assert answer.status_code == 401
    assert hooked.rows("SELECT * FROM inbox") == []


async def test_an_update_is_committed_before_it_is_answered(hooked: Office, http: httpx.AsyncClient) -> None:
    """200 means stored; while nothing can be stored it is 503, so that Telegram tries again."""
    hooked.rows(REFUSE)
    assert (await http.post(HOOK, json=update(), headers=HEADERS)).status_code == 503
    hooked.rows("DROP TRIGGER no_room")
    assert (await http.post(HOOK, json=update(), headers=HEADERS)).status_code == 200
    assert hooked.rows("SELECT update_id FROM inbox") == [(7,)]
    await hooked.card("Dana")


async def test_telegram_tries_again(hooked: Office) -> None:
    """What could not be stored at first is not lost."""
    hooked.rows(REFUSE)
    hooked.lead()
    await hooked.logged("cannot be stored")
    hooked.rows("DROP TRIGGER no_room")
    await hooked.card("Dana")


BODIES: dict[str, tuple[bytes, int]] = {
    "no JSON": (b"{", 400),
    "no text": (b"\xff\xfe", 400),
    "empty": (b"", 400),
    "no update": (b"[]", 200),
    "no id": (b"{}", 200),
    "null": (b"null", 200),
    "half a pair": (b'{"update_id": 8, "message": {"text": "\\ud83d"}}', 200),
    "not a number": (b'{"update_id": 8, "message": {"date": NaN}}', 200),
    "huge id": (b'{"update_id": 999999999999999999999999}', 200),
    "1 MB": (b" " * 1_000_001, 413),
    "5 MB": (b'{"update_id": 8, "text": "' + b"a" * 5_000_000 + b'"}', 413),
}


@pytest.mark.parametrize(("body", "status"), BODIES.values(), ids=BODIES)
async def test_odd_bodies(hooked: Office, http: httpx.AsyncClient, body: bytes, status: int) -> None:
    """None of them is an error of ours: that would be sent again and again and block the queue."""
    assert (await http.post(HOOK, content=body, headers=HEADERS)).status_code == status
    hooked.lead()
    await hooked.card("Dana")


async def test_other_methods_and_paths(hooked: Office, http: httpx.AsyncClient) -> None:
    """There is nothing else."""
    assert (await http.get(HOOK, headers=HEADERS)).status_code == 405
    assert (await http.get("/")).status_code == 404


async def test_a_channel_post_by_webhook(hooked: Office, http: httpx.AsyncClient) -> None:
    """Kinds of update that nobody asked for are no leads."""
    post = {"message_id": 1, "date": 0, "chat": {"id": -5, "type": "channel", "title": "News"}, "text": NEED}
    for number, kind in enumerate(
        ("channel_post", "edited_channel_post", "business_message", "of_the_future")
    ):
        answer = await http.post(HOOK, json={"update_id": number, kind: post}, headers=HEADERS)
        assert answer.status_code == 200
    hooked.lead()
    await hooked.card("Dana")
    assert hooked.value("SELECT count(*) FROM leads") == 1
    assert hooked.rows("SELECT * FROM inbox WHERE attempts > 0") == []


async def test_a_webhook_that_cannot_be_set_is_set_later(stopped: Office) -> None:
    """The bot keeps running; what waits at Telegram is taken in once it is set.  /healthz tells."""
    stopped.fault(FaultKind.GATEWAY, "setWebhook")
    await start_webhook(stopped)
    await stopped.logged("the webhook cannot be set")
    assert any("webhook" in fault for fault in await stopped.app.faults())


async def test_from_polling_to_webhook_and_back(stopped: Office) -> None:
    """Leads that come in between are taken in by the other way; none is lost, none is made twice."""
    await stopped.start()
    stopped.lead("First")
    await stopped.card("Reply to First")
    await stopped.stop()
    stopped.lead("Second")
    await start_webhook(stopped)
    await stopped.card("Reply to Second")
    await stopped.stop()
    stopped.refusals_expected = True  # the poll that is told of the webhook
    stopped.lead("Third")
    await stopped.start()
    await stopped.card("Reply to Third")
    assert [name for (name,) in stopped.rows("SELECT name FROM leads ORDER BY id")] == [
        "First",
        "Second",
        "Third",
    ]


# --- /healthz


async def health(office: Office) -> tuple[int, list[str]]:
    async with httpx.AsyncClient(base_url=office.url, trust_env=False) as client:
        answer = await client.get("/healthz")
    body = answer.json()
    assert body["ok"] is (answer.status_code == 200)
    return answer.status_code, body["faults"]


async def test_healthy_from_the_start(bot: Office) -> None:
    """A fresh bot is healthy at once, before the first long poll ends."""
    assert await health(bot) == (200, [])


async def test_no_webhook_while_polling(bot: Office) -> None:
    """Without PUBLIC_URL the route is not there."""
    async with httpx.AsyncClient(base_url=bot.url, trust_env=False) as client:
        assert (await client.post(HOOK, json=update(), headers=HEADERS)).status_code == 404


async def test_unhealthy_while_telegram_is_out_of_reach(bot: Office) -> None:
    """503 with the reason; 200 again afterwards."""
    bot.fault(FaultKind.RESET, "getUpdates")
    bot.lead()  # ends the poll that waits
    await bot.logged("Telegram gave no updates: NetworkError")
    assert await health(bot) == (503, ["Telegram gave no updates: NetworkError"])
    await bot.card("Dana")
    assert await health(bot) == (200, [])


async def test_unhealthy_while_telegram_is_silent(stopped: Office) -> None:
    """A long poll that never ends is a fault too: the watchdog goes by the last good round trip."""
    ahead = [0]
    await stopped.start(clock=lambda: now() + ahead[0])
    await stopped.until(lambda: len(stopped.calls("getUpdates")) > 1, "the long poll")
    ahead[0] = 100_000
    assert await health(stopped) == (503, ["Telegram has given no answer for too long"])


async def test_unhealthy_while_the_token_is_refused(bot: Office) -> None:
    """In words for the person who runs the bot."""
    bot.fault(FaultKind.ERROR, "getUpdates", status=401, description="Unauthorized")
    bot.world.updates.push(UpdateType.MESSAGE, update()["message"])
    await bot.logged("Telegram does not know the bot's token")
    assert await health(bot) == (503, ["Telegram does not know the bot's token: check TELEGRAM_BOT_TOKEN"])


async def test_unhealthy_while_nothing_can_be_stored(bot: Office) -> None:
    """The disk's own words."""
    bot.rows(REFUSE)
    bot.lead()
    await bot.logged("cannot be stored")
    status, faults = await health(bot)
    assert status == 503
    assert "no room" in faults[0]
