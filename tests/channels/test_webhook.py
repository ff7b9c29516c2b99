"""A reply by signed webhook, over real HTTP: what is sent, and what is known when no answer comes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from standardwebhooks import Webhook

from agent.channels import ChannelKind
from agent.clock import now
from agent.errors import ChannelError, NotSent, OutcomeUnknown, Undeliverable
from bot import webhooks
from bot.channels.webhook import ReplyWebhook
from bot.webhook_urls import may_be_reached, webhook_secret, webhook_url
from tests.channels.letters import HELLO, letter
from tests.receiver import SECRET, open_receiver

LETTER = letter(ChannelKind.WEBHOOK, "")


async def fault(url: str) -> ChannelError:
    with pytest.raises(ChannelError) as caught:
        await ReplyWebhook(url, SECRET, now).send(LETTER)
    return caught.value


@asynccontextmanager
async def line(answer: bytes) -> AsyncIterator[str]:
    """A server that reads a request, writes `answer` and hangs up."""

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"}")
        writer.write(answer)
        writer.close()

    async with await asyncio.start_server(take, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"


async def test_a_reply_is_posted_signed_with_all_that_is_needed_to_send_it() -> None:
    """The text letter for letter, the lead's phones and addresses; verified by the published library."""
    async with open_receiver() as receiver:
        receipt = await ReplyWebhook(receiver.url, SECRET, now).send(LETTER)
    (body,), (raw,) = receiver.bodies, receiver.raw
    assert Webhook(SECRET).verify(raw, receiver.last_headers) == body
    assert body == {
        "type": "reply.send",
        "proposal_id": "P-12",
        "text": HELLO,
        "lead": body["lead"],
        "phones": [
            {"raw": "8 701 555 01 42", "e164": "+77015550142", "extension": None, "confidence": "sure"}
        ],
        "emails": ["dana@example.test"],
    }
    assert body["lead"]["id"] == "L-1"
    assert receipt == {"webhook_id": "P-12.0a1b2c", "status": 200}


async def test_every_try_of_a_reply_has_the_same_id() -> None:
    """Whoever gets it twice, after a person had it sent again, can tell: same webhook-id, same body."""
    async with open_receiver() as receiver:
        webhook = ReplyWebhook(receiver.url, SECRET, now)
        await webhook.send(LETTER)
        await webhook.send(LETTER)
        await webhook.send(letter(key="P-13.ffff"))
    assert receiver.ids == ["P-12.0a1b2c", "P-12.0a1b2c", "P-13.ffff"]
    assert receiver.raw[0] == receiver.raw[1]


@pytest.mark.parametrize(
    ("status", "fault_type"),
    [
        (400, Undeliverable),
        (404, Undeliverable),
        (410, Undeliverable),
        (302, Undeliverable),
        (429, NotSent),
        (408, NotSent),
        (500, OutcomeUnknown),
        (503, OutcomeUnknown),
    ],
)
async def test_an_answer_says_what_is_known(status: int, fault_type: type[ChannelError]) -> None:
    """No is no, later is later; a server that broke may have passed the reply on.  A redirect is a no."""
    async with open_receiver(headers={"Retry-After": "7", "Location": "/hook"}) as receiver:
        receiver.answers.append(status)
        found = await fault(receiver.url)
    assert type(found) is fault_type
    assert str(status) in str(found)
    assert len(receiver.bodies) == 1
    if isinstance(found, NotSent):
        assert found.retry_after == 7


async def test_what_never_left_is_not_sent() -> None:
    """Nobody listens there any more."""
    async with open_receiver() as receiver:
        pass
    assert isinstance(await fault(receiver.url), NotSent)


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 2", b"SMTP?\r\n\r\n"])
async def test_a_lost_answer_leaves_it_in_doubt(answer: bytes) -> None:
    """The request was there: whatever came back that is no answer tells nothing."""
    async with line(answer) as url:
        assert isinstance(await fault(url), OutcomeUnknown)


async def test_silence_leaves_it_in_doubt(monkeypatch: pytest.MonkeyPatch) -> None:
    """No answer in time is no answer."""
    monkeypatch.setattr(webhooks, "SECONDS_IN_ALL", 0.1)
    async with open_receiver() as receiver:
        receiver.door.clear()
        assert isinstance(await fault(receiver.url), OutcomeUnknown)
        receiver.door.set()


@pytest.mark.parametrize(
    "url", ["http://8.8.8.8/hook", "http://169.254.169.254/latest", "https://169.254.1.1/"]
)
async def test_nothing_goes_in_clear_text_to_the_internet(url: str) -> None:
    """Nor to a cloud's own address; it is refused before the first packet."""
    found = await fault(url)
    assert isinstance(found, NotSent)
    assert "use https" in str(found) or "no server" in str(found)


@pytest.mark.parametrize(
    ("scheme", "address", "reached"),
    [
        ("https", "93.184.216.34", True),
        ("https", "10.0.0.5", True),
        ("http", "10.0.0.5", True),
        ("http", "127.0.0.1", True),
        ("http", "::1", True),
        ("http", "fd00::5", True),
        ("http", "100.64.0.5", True),
        ("http", "93.184.216.34", False),
        ("http", "2606:4700::1", False),
        ("https", "2606:4700::1", True),
        ("http", "::ffff:93.184.216.34", False),
        ("https", "169.254.169.254", False),
        ("https", "::ffff:169.254.169.254", False),
        ("https", "fe80::1%eth0", False),
        ("https", "0.0.0.0", False),
        ("https", "::", False),
        ("https", "224.0.0.1", False),
        ("https", "255.255.255.255", False),
    ],
)
def test_what_may_be_reached(scheme: str, address: str, reached: bool) -> None:
    """https to any server; http inside one's own network; what is no server's address never."""
    assert may_be_reached(scheme, address) is reached


@pytest.mark.parametrize(
    "url",
    [
        "ftp://x.kz/",
        "https:///path",
        "x.kz/hook",
        "https://u:p@x.kz/",
        "https://x.kz:0x/",
        "https://x .kz",
        "",
    ],
)
def test_a_url_that_cannot_be_posted_to_is_refused(url: str) -> None:
    """In words that say what to write."""
    with pytest.raises(ValueError, match="URL"):
        webhook_url(url)


@pytest.mark.parametrize("secret", ["", "test-secret", "whsec_", "whsec_c2hvcnQ=", "whsec_###", SECRET[6:]])
def test_a_weak_secret_is_refused(secret: str) -> None:
    """24 random bytes in base64 behind whsec_, and it says how to make them."""
    with pytest.raises(ValueError, match="openssl rand"):
        webhook_secret(secret)
