"""What cards say of the way that a reply takes, and the buttons of one that a person is to send."""

import re
from html import escape
from urllib.parse import quote

from telegram import InlineKeyboardButton

from agent.channels import ChannelKind, Route
from agent.proposals import Proposal
from bot.texts import Texts

_E164 = re.compile(r"\+(\d{7,15})")
# Characters of a button's URL.  The Bot API names no bound; this much every browser and server takes.
LONGEST_URL = 2048


def way(route: Route | None, texts: Texts) -> str:
    """HTML: how a reply leaves, and where to: e-mail dana@example.test."""
    if route is None:
        return ""
    address = route.address if route.kind in (ChannelKind.EMAIL, ChannelKind.HAND_OVER) else ""
    return f"{texts.ways[route.kind]} {escape(address, quote=False)}".strip()


def state_of(proposal: Proposal, texts: Texts) -> str:
    """A few words for lists; what a person says arrived is told from what a channel took."""
    return texts.delivered_state if proposal.delivered else texts.states[proposal.state]


def whatsapp_button(proposal: Proposal, texts: Texts) -> tuple[InlineKeyboardButton, ...]:
    """Opens the chat with the text filled in; none without a sure number."""
    number = _E164.fullmatch(proposal.route.address) if proposal.route else None
    if number is None or proposal.text is None:
        return ()
    bare = f"https://wa.me/{number[1]}"
    filled = f"{bare}?text={quote(proposal.text, safe='')}"
    url = filled if len(filled) <= LONGEST_URL else bare
    return (InlineKeyboardButton(texts.whatsapp, url=url),)
