"""How words leave the company: by which channel, and what a channel is given."""

from dataclasses import dataclass
from enum import StrEnum

from agent.runs import Lead


class ChannelKind(StrEnum):
    """The ways out; a person decides about every message, whichever it takes.

    HAND_OVER: the program sends nothing; a person does, and says what came of it.
    """

    TELEGRAM = "telegram"
    EMAIL = "email"
    WEBHOOK = "webhook"
    HAND_OVER = "hand_over"


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """By which channel, and to which address of it: an e-mail address, a phone number, none for a webhook."""

    kind: ChannelKind
    address: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Letter:
    """Words on their way to a lead, exactly as they were approved.

    key: the same for every try of one proposal and of no other, so that whoever gets it twice can tell.
    """

    lead: Lead
    text: str
    route: Route
    proposal_id: str
    key: str
