"""The served bot: a reply by webhook and the events beside it, from the lead's words to the card."""

from pathlib import Path
from typing import Any, cast

import pytest

from agent.channels import ChannelKind, Route
from agent.clock import now
from bot.__main__ import main
from bot.channels import channels_of
from bot.event_commands import Subscribing, subscribe
from bot.settings import Settings
from storage.store import SqliteStore
from tests.bot.harness import APPROVE, HELLO, office
from tests.channels.letters import lead, letter
from tests.channels.post_office import PostOffice, open_office
from tests.receiver import SECRET, open_receiver


async def test_a_reply_leaves_by_webhook_and_events_are_told(tmp_path: Path) -> None:
    """The card says webhook before the press; the receiver gets the text once, the listener all events."""
    async with open_receiver() as receiver, open_receiver() as listener:
        async with SqliteStore(tmp_path / "lead-agent.db") as store:
            asked = Subscribing(url=listener.url, secret=SECRET, types=frozenset())
            await store.transaction(lambda tx: subscribe(tx, asked))
        settings: dict[str, Any] = {"reply_webhook_url": receiver.url, "reply_webhook_secret": SECRET}
        async with office(tmp_path, reply_channels="webhook", **settings) as bot:
            await bot.start()
            dana = bot.lead()
            card = await bot.card("Reply to Dana · webhook")
            await bot.pressed(card, APPROVE)
            await bot.shows(card, "Approved by Olga", "sent")
            await listener.until(lambda it: len(it.bodies) == 4)
            assert (await bot.show())["replies"] == [
                {"text": HELLO, "channel": "webhook", "address": "", "state": "executed"}
            ]
            assert bot.texts_to(dana) == []
    (body,) = receiver.bodies
    assert (body["type"], body["text"], body["lead"]["name"]) == ("reply.send", HELLO, "Dana")
    told = [body["type"] for body in listener.bodies]
    assert told == ["lead.created", "reply.approved", "reply.delivered", "run.finished"]


async def test_a_webhook_that_breaks_leaves_it_to_people(tmp_path: Path) -> None:
    """A 500 tells nothing: uncertain, with buttons; what a person has sent again is the same webhook-id."""
    async with open_receiver() as receiver:
        receiver.answers.append(500)
        settings: dict[str, Any] = {"reply_webhook_url": receiver.url, "reply_webhook_secret": SECRET}
        async with office(tmp_path, reply_channels="webhook", **settings) as bot:
            await bot.start()
            bot.lead()
            card = await bot.card("Dana")
            await bot.pressed(card, APPROVE)
            await bot.shows(card, "delivery unknown")
            await bot.pressed(card, "It was not: send")
            await bot.shows(card, "sent")
            await bot.ended()
    assert len(receiver.ids) == 2
    assert len(set(receiver.ids)) == 1


async def test_mail_is_wired_as_the_settings_say() -> None:
    """The lead's address is the route, and the message arrives there."""
    async with open_office(PostOffice()) as post:
        settings = Settings.load(
            _env_file=None,
            smtp_host="127.0.0.1",
            smtp_port=post.port,
            smtp_tls="none",
            smtp_from="a@studio.test",
        )
        channels = channels_of(settings, cast(Any, None), now)
        route = channels.route(lead(emails=("dana@example.test",)))
        assert route == Route(kind=ChannelKind.EMAIL, address="dana@example.test")
        await channels.send(letter(route.kind, route.address))
    assert [taken.rcpt_tos for taken in post.taken] == [["dana@example.test"]]


def test_the_check_tries_the_mail_server(
    bare_environment: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line of `lead-agent check`, where one is set: nobody finds out by a reply that did not leave."""
    for name, value in (("SMTP_HOST", "127.0.0.1"), ("SMTP_PORT", "9"), ("SMTP_FROM", "a@studio.test")):
        monkeypatch.setenv(name, value)
    assert main(["check"]) == 1
    assert "FAULT mail: the mail server cannot be used" in capsys.readouterr().out
