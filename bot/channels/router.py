"""By which channel a reply leaves."""

from collections.abc import Mapping, Sequence
from typing import assert_never

from agent.channels import ChannelKind, Letter, Route
from agent.errors import Undeliverable
from agent.jsontext import JsonObject
from agent.ports import Channel
from agent.runs import Lead
from bot.mailboxes import mailbox
from bot.settings import Settings


def ways_of(settings: Settings) -> tuple[ChannelKind, ...]:
    """The ways out that are set up, in the order of REPLY_CHANNELS; handing over always is one, the last."""
    missing = set()
    if not settings.smtp_host:
        missing.add(ChannelKind.EMAIL)
    if not settings.reply_webhook_url:
        missing.add(ChannelKind.WEBHOOK)
    ways = [kind for kind in settings.reply_channels if kind not in missing]
    return (*ways, ChannelKind.HAND_OVER)


def route(lead: Lead, ways: Sequence[ChannelKind]) -> Route:
    """The first of the ways by which this lead can be reached."""
    for kind in ways:
        address = address_of(lead, kind)
        if address is not None:
            return Route(kind=kind, address=address)
    return Route(kind=ChannelKind.HAND_OVER, address=_by_hand(lead))


def address_of(lead: Lead, kind: ChannelKind) -> str | None:
    """Where a channel reaches the lead; None where it does not."""
    match kind:
        case ChannelKind.TELEGRAM:
            return None if lead.telegram_id is None else str(lead.telegram_id)
        case ChannelKind.EMAIL:
            return next((email for email in lead.emails if _is_mailbox(email)), None)
        case ChannelKind.WEBHOOK:
            return ""
        case ChannelKind.HAND_OVER:
            return _by_hand(lead)
    assert_never(kind)


def _is_mailbox(email: str) -> bool:
    try:
        return mailbox(email).addr_spec != ""
    except ValueError:
        return False


def _by_hand(lead: Lead) -> str:
    """What a person calls or writes to: a sure number, else what there is, as it was written."""
    sure = (phone.trusted for phone in lead.phones if phone.trusted)
    raw = (phone.raw for phone in lead.phones)
    return next((address for address in (*sure, *raw, lead.phone, *lead.emails) if address), "")


class Channels:
    """See agent.ports.Channels.  What a person approved names its way, and no other is taken."""

    def __init__(self, channels: Mapping[ChannelKind, Channel], ways: Sequence[ChannelKind]) -> None:
        self._channels = channels
        self._ways = ways

    def route(self, lead: Lead) -> Route:
        return route(lead, self._ways)

    async def send(self, letter: Letter) -> JsonObject:
        """Undeliverable if the way of this letter is no longer set up."""
        channel = self._channels.get(letter.route.kind)
        if channel is None:
            raise Undeliverable(f"{letter.route.kind} is not set up any more")
        return await channel.send(letter)
