"""By which channel a reply leaves: a pure choice, told before the press and kept after it."""

from typing import Any

import pytest

from agent.channels import ChannelKind, Letter, Route
from agent.errors import Undeliverable
from agent.jsontext import JsonObject
from bot.channels.router import Channels, route, ways_of
from bot.settings import Settings
from tests.channels.letters import lead, letter, phone
from tests.receiver import SECRET

MAIL = {"smtp_host": "mail.studio.test", "smtp_from": "a@studio.test"}
WEBHOOK = {"reply_webhook_url": "https://n8n.studio.test/hook", "reply_webhook_secret": SECRET}
EMAIL = {"emails": ("dana@example.test",)}
PHONE = {"phones": (phone(),)}
TELEGRAM = {"telegram_id": 77}
BY_HAND = Route(kind=ChannelKind.HAND_OVER, address="+77015550142")


def settings(**overrides: Any) -> Settings:
    return Settings.load(_env_file=None, **overrides)


@pytest.mark.parametrize(
    ("fields", "setup", "kind", "address"),
    [
        (TELEGRAM | EMAIL | PHONE, MAIL | WEBHOOK, ChannelKind.TELEGRAM, "77"),
        (EMAIL | PHONE, MAIL | WEBHOOK, ChannelKind.EMAIL, "dana@example.test"),
        (EMAIL | PHONE, WEBHOOK, ChannelKind.WEBHOOK, ""),
        (PHONE, MAIL | WEBHOOK, ChannelKind.WEBHOOK, ""),
        (PHONE, MAIL, ChannelKind.HAND_OVER, "+77015550142"),
        (EMAIL | PHONE, {}, ChannelKind.HAND_OVER, "+77015550142"),
        (EMAIL, {}, ChannelKind.HAND_OVER, "dana@example.test"),
        ({"phones": (phone(None, "8 701 555 01"),)}, {}, ChannelKind.HAND_OVER, "8 701 555 01"),
        ({"phone": "+77015550142"}, {}, ChannelKind.HAND_OVER, "+77015550142"),
        ({}, {}, ChannelKind.HAND_OVER, ""),
        ({"emails": ("dana", "dana@example.test")}, MAIL, ChannelKind.EMAIL, "dana@example.test"),
        ({"emails": ("дана@example.test",)}, MAIL, ChannelKind.HAND_OVER, "дана@example.test"),
    ],
)
def test_the_first_way_by_which_the_lead_can_be_reached(
    fields: dict[str, Any], setup: dict[str, Any], kind: ChannelKind, address: str
) -> None:
    """Telegram, then e-mail, then the webhook, as far as they are set up; else a person takes it over."""
    assert route(lead(**fields), ways_of(settings(**setup))) == Route(kind=kind, address=address)


@pytest.mark.parametrize(
    ("order", "kind"),
    [
        ("webhook,email,telegram", ChannelKind.WEBHOOK),
        ("email, telegram", ChannelKind.EMAIL),
        ("hand_over", ChannelKind.HAND_OVER),
        ("telegram,hand_over,email", ChannelKind.TELEGRAM),
    ],
)
def test_the_order_is_a_setting(order: str, kind: ChannelKind) -> None:
    """A way that REPLY_CHANNELS leaves out is not taken."""
    ways = ways_of(settings(reply_channels=order, **MAIL, **WEBHOOK))
    assert route(lead(**TELEGRAM, **EMAIL, **PHONE), ways).kind is kind


def test_handing_over_needs_no_word_of_it() -> None:
    """It is what remains, whatever REPLY_CHANNELS says."""
    assert route(lead(**PHONE), ways_of(settings(reply_channels="email"))) == BY_HAND


class Kept:
    """A channel that keeps what it was given."""

    def __init__(self) -> None:
        self.letters: list[Letter] = []

    async def send(self, letter: Letter) -> JsonObject:
        self.letters.append(letter)
        return {"kept": True}


async def test_a_letter_leaves_the_way_that_was_approved() -> None:
    """Whatever the settings say meanwhile; a way that is gone is none."""
    mail, hook = Kept(), Kept()
    channels = Channels({ChannelKind.EMAIL: mail, ChannelKind.WEBHOOK: hook}, ways=[ChannelKind.WEBHOOK])
    approved = letter(ChannelKind.EMAIL)
    assert await channels.send(approved) == {"kept": True}
    assert (mail.letters, hook.letters) == ([approved], [])
    with pytest.raises(Undeliverable, match="not set up"):
        await channels.send(letter(ChannelKind.TELEGRAM))
