"""What Telegram keeps: users, chats, topics and messages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from typing import Any, Final, TypeAlias

Json: TypeAlias = dict[str, Any]
"""An object of the Bot API, as it goes over the wire. Never changed in place: an edit makes a new one."""


class ChatType(StrEnum):
    PRIVATE = "private"
    GROUP = "group"
    SUPERGROUP = "supergroup"
    CHANNEL = "channel"


class MemberStatus(StrEnum):
    CREATOR = "creator"
    ADMINISTRATOR = "administrator"
    MEMBER = "member"
    RESTRICTED = "restricted"
    LEFT = "left"
    KICKED = "kicked"


class Right(StrEnum):
    """What an administrator may be allowed to do, as far as the stand-in asks for it."""

    DELETE_MESSAGES = "can_delete_messages"
    PIN_MESSAGES = "can_pin_messages"
    MANAGE_TOPICS = "can_manage_topics"


# What ChatMemberAdministrator and ChatMemberRestricted must say besides.
_OTHER_RIGHTS: Final = (
    "can_be_edited",
    "is_anonymous",
    "can_manage_chat",
    "can_manage_video_chats",
    "can_restrict_members",
    "can_promote_members",
    "can_change_info",
    "can_invite_users",
    "can_post_stories",
    "can_edit_stories",
    "can_delete_stories",
    "can_manage_direct_messages",
    "can_manage_tags",
)
_PERMISSIONS: Final = (
    "can_send_messages",
    "can_send_audios",
    "can_send_documents",
    "can_send_photos",
    "can_send_videos",
    "can_send_video_notes",
    "can_send_voice_notes",
    "can_send_polls",
    "can_send_other_messages",
    "can_add_web_page_previews",
    "can_react_to_messages",
    "can_edit_tag",
    "can_change_info",
    "can_invite_users",
    "can_pin_messages",
    "can_manage_topics",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person or a bot. Ids are beyond 32 bit for newer accounts."""

    id: int
    first_name: str
    is_bot: bool = False
    last_name: str | None = None
    username: str | None = None
    language_code: str | None = None

    @property
    def name(self) -> str:
        return f"{self.first_name} {self.last_name}" if self.last_name else self.first_name

    def json(self) -> Json:
        """The Bot API's User."""
        body: Json = {"id": self.id, "is_bot": self.is_bot, "first_name": self.first_name}
        optional = {
            "last_name": self.last_name,
            "username": self.username,
            "language_code": self.language_code,
        }
        return body | {key: value for key, value in optional.items() if value is not None}


ANONYMOUS = User(id=1087968824, first_name="Group", username="GroupAnonymousBot", is_bot=True)
"""Who acts, as far as a bot can see, when an administrator of a group acts anonymously."""


@dataclass(slots=True, kw_only=True)
class Topic:
    """A topic of a forum; its id is that of the message that opened it."""

    id: int
    name: str
    icon_color: int = 7322096
    closed: bool = False


@dataclass(slots=True, kw_only=True)
class Message:
    """A message: how it is now, how it was before each edit, and what surrounds it."""

    body: Json
    silent: bool = False
    reply_keyboard: Json | None = None
    """A reply_markup that bots do not get back: a keyboard for typing, its removal, a forced reply."""
    history: list[Json] = field(default_factory=list)
    reactions: list[str] = field(default_factory=list)

    @property
    def id(self) -> int:
        return int(self.body["message_id"])

    def replace(self, body: Json) -> None:
        """Make `body` the current state and keep the old one."""
        self.history.append(self.body)
        self.body = body


@dataclass(slots=True, kw_only=True)
class Chat:
    """A chat and its messages by id, oldest first. Deleted messages are gone from it."""

    id: int
    type: ChatType
    title: str | None = None
    username: str | None = None
    user: User | None = None
    is_forum: bool = False
    messages: dict[int, Message] = field(default_factory=dict)
    deleted: list[Message] = field(default_factory=list)
    topics: dict[int, Topic] = field(default_factory=dict)
    members: dict[int, MemberStatus] = field(default_factory=dict)
    pinned: list[int] = field(default_factory=list)
    migrated_to: int | None = None
    bot_status: MemberStatus = MemberStatus.ADMINISTRATOR
    bot_rights: set[Right] = field(default_factory=lambda: set(Right))
    ids: Iterator[int] = field(default_factory=lambda: count(1))

    def json(self) -> Json:
        """The Bot API's Chat."""
        body: Json = {"id": self.id, "type": self.type.value}
        if self.user:
            named = self.user.json()
            return body | {key: named[key] for key in ("first_name", "last_name", "username") if key in named}
        body["title"] = self.title
        if self.username:
            body["username"] = self.username
        if self.is_forum:
            body["is_forum"] = True
        return body


def quoted(message: Message) -> Json:
    """A message as a reply to it shows it: without what it replied to itself."""
    return {key: value for key, value in message.body.items() if key != "reply_to_message"}


def member(user: User, status: MemberStatus, rights: Iterable[Right] = tuple(Right)) -> Json:
    """The Bot API's ChatMember."""
    body: Json = {"status": status.value, "user": user.json()}
    match status:
        case MemberStatus.CREATOR:
            body["is_anonymous"] = False
        case MemberStatus.ADMINISTRATOR:
            body |= dict.fromkeys(_OTHER_RIGHTS, False) | {right.value: right in rights for right in Right}
        case MemberStatus.RESTRICTED:
            body |= dict.fromkeys(_PERMISSIONS, False) | {"is_member": True, "until_date": 0}
        case MemberStatus.KICKED:
            body["until_date"] = 0
        case MemberStatus.MEMBER | MemberStatus.LEFT:
            pass
    return body
