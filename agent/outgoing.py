"""What the bot shows: cards (kept true by rows) and notes (plain messages), with their lanes."""

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class Lane(IntEnum):
    """Order in which outgoing messages share Telegram's limits: lower goes first."""

    DECISIONS = 0
    CARDS = 1
    NOTES = 2


class CardKind(StrEnum):
    """What a card is about; its subject is the id of that row."""

    PROPOSAL = "proposal"
    RUN = "run"
    DIGEST = "digest"
    MERGE = "merge"
    DEAL = "deal"
    RULE = "rule"


class Detour(StrEnum):
    """Why a card of a lead is in General and not in the topic of that lead."""

    NO_FORUM = "no_forum"
    NO_RIGHT = "no_right"
    BUSY = "busy"
    UNKNOWN = "unknown"
    CLOSED = "closed"
    REFUSED = "refused"


class TopicState(StrEnum):
    """What is known of a topic: asked for, there, or asked for and never answered."""

    MAKING = "making"
    OPEN = "open"
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """The topic of a contact.  asked_at: when it was asked for (ms); thread_id: once it is open."""

    state: TopicState
    thread_id: int | None
    asked_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A card to be brought up to date.

    `maybe_posted`: an answer was lost, so a message that we do not know of may show it.
    """

    id: int
    kind: CardKind
    subject: int
    lane: Lane
    version: int
    attempts: int
    maybe_posted: bool
    document_id: int | None
    detour: Detour | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """A message of ours; thread_id: the topic in which it stands, None in General."""

    chat_id: int
    message_id: int
    thread_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CardMessage(Posted):
    """A message that shows a card; a retired one was replaced by a newer message further down."""

    shown: int
    retired: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The message at the top of the group that says what waits; pinned: whether Telegram took it for that."""

    chat_id: int
    message_id: int
    text: str
    pinned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a person is asked for: new words for a proposal, as it stood under `token`."""

    proposal_id: int
    token: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A plain message.

    once: never sent again when its outcome is unknown (it goes to a lead).
    answers: the message of the chat that it answers; a message gets one note, however often it is handled.
    share_phone: the label of a button below the input field that shares the lead's phone number.
    question: the message is answered by a reply to it.
    talks_with: the contact whose words the message passes on; a reply to it is for that contact.
    buttons: a row below it, each with its label and what a press says.
    relayed_from: the message in the operators' group that it brings to a lead, which hears what came of it.
    """

    chat_id: int
    text: str
    lane: Lane = Lane.NOTES
    reply_to: int | None = None
    answers: int | None = None
    share_phone: str | None = None
    question: Question | None = None
    talks_with: int | None = None
    relayed_from: int | None = None
    buttons: tuple[tuple[str, str], ...] = ()
    silent: bool = True
    once: bool = False
    id: int = 0
    attempts: int = 0
