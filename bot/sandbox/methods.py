"""The methods of the Bot API 10.0 that the stand-in knows, with every parameter each may have."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Kind(StrEnum):
    """How a parameter's value is read; the Bot API uses a name for one kind only."""

    STRING = "string"
    INTEGER = "integer"
    BOOLEAN = "boolean"
    CHAT = "chat"
    """An id or @username."""
    JSON = "json"
    FILE = "file"
    """An upload, or the id of a file that is there already."""


@dataclass(frozen=True, slots=True)
class Method:
    """A method's parameters by name."""

    required: frozenset[str]
    optional: frozenset[str]


def _method(required: str = "", optional: str = "") -> Method:
    return Method(frozenset(required.split()), frozenset(optional.split()))


_POST: Final = (
    " business_connection_id message_thread_id direct_messages_topic_id disable_notification protect_content"
    " allow_paid_broadcast message_effect_id suggested_post_parameters reply_parameters reply_markup"
)
_CAPTION: Final = " caption parse_mode caption_entities"
_EDIT: Final = " business_connection_id chat_id message_id inline_message_id reply_markup"

METHODS: Final[dict[str, Method]] = {
    "getMe": _method(),
    "getUpdates": _method("", "offset limit timeout allowed_updates"),
    "setWebhook": _method(
        "url", "certificate ip_address max_connections allowed_updates drop_pending_updates secret_token"
    ),
    "deleteWebhook": _method("", "drop_pending_updates"),
    "getWebhookInfo": _method(),
    "sendMessage": _method("chat_id text", "parse_mode entities link_preview_options" + _POST),
    "sendDocument": _method(
        "chat_id document", "thumbnail disable_content_type_detection" + _CAPTION + _POST
    ),
    "sendPhoto": _method("chat_id photo", "show_caption_above_media has_spoiler" + _CAPTION + _POST),
    "copyMessage": _method(
        "chat_id from_chat_id message_id",
        "video_start_timestamp show_caption_above_media"
        + _CAPTION
        + _POST.replace(" business_connection_id", ""),
    ),
    "editMessageText": _method("text", "parse_mode entities link_preview_options" + _EDIT),
    "editMessageCaption": _method("", "show_caption_above_media" + _CAPTION + _EDIT),
    "editMessageReplyMarkup": _method("", _EDIT),
    "deleteMessage": _method("chat_id message_id"),
    "answerCallbackQuery": _method("callback_query_id", "text show_alert url cache_time"),
    "setMessageReaction": _method("chat_id message_id", "reaction is_big"),
    "sendChatAction": _method("chat_id action", "business_connection_id message_thread_id"),
    "pinChatMessage": _method("chat_id message_id", "business_connection_id disable_notification"),
    "unpinChatMessage": _method("chat_id", "business_connection_id message_id"),
    "getChat": _method("chat_id"),
    "getChatMember": _method("chat_id user_id"),
    "getChatAdministrators": _method("chat_id", "return_bots"),
    "leaveChat": _method("chat_id"),
    "getFile": _method("file_id"),
    "createForumTopic": _method("chat_id name", "icon_color icon_custom_emoji_id"),
    "editForumTopic": _method("chat_id message_thread_id", "name icon_custom_emoji_id"),
    "closeForumTopic": _method("chat_id message_thread_id"),
    "reopenForumTopic": _method("chat_id message_thread_id"),
    "setMyCommands": _method("commands", "scope language_code"),
    "deleteMyCommands": _method("", "scope language_code"),
}

_NAMES_BY_KIND: Final = {
    Kind.INTEGER: "offset limit timeout max_connections message_id message_thread_id direct_messages_topic_id"
    " video_start_timestamp cache_time user_id icon_color",
    Kind.BOOLEAN: "drop_pending_updates disable_notification protect_content allow_paid_broadcast"
    " disable_content_type_detection show_caption_above_media has_spoiler show_alert is_big return_bots",
    Kind.CHAT: "chat_id from_chat_id",
    Kind.JSON: "allowed_updates entities caption_entities link_preview_options suggested_post_parameters"
    " reply_parameters reply_markup reaction commands scope",
    Kind.FILE: "document photo thumbnail certificate",
}
KINDS: Final[dict[str, Kind]] = {
    name: kind for kind, names in _NAMES_BY_KIND.items() for name in names.split()
}
"""What every parameter is that is no plain string."""

METHODS_BY_LOWER_NAME: Final = {name.lower(): name for name in METHODS}
"""Telegram takes a method's name in any case."""
