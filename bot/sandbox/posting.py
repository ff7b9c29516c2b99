"""The methods that make new messages."""

from __future__ import annotations

from typing import Any, Final

from bot.sandbox.access import known_chat, message_in, topic_of, writable_chat
from bot.sandbox.chats import Chat, Json, Message, quoted
from bot.sandbox.entities import Formatted, plain, trimmed
from bot.sandbox.errors import bad_request
from bot.sandbox.keyboards import inline_keyboard
from bot.sandbox.params import Params
from bot.sandbox.state import File, State
from bot.sandbox.telegram_html import BadHtmlError, parse_html

MAX_TEXT: Final = 4096
MAX_CAPTION: Final = 1024
"""Both in code points, after the markup is parsed."""

_REPLY_FIELDS: Final = {
    "message_id",
    "chat_id",
    "allow_sending_without_reply",
    "quote",
    "quote_parse_mode",
    "quote_entities",
    "quote_position",
    "checklist_task_id",
    "poll_option_id",
}
_ENTITY_EXTRAS: Final[dict[str, dict[str, type]]] = {
    "text_link": {"url": str},
    "text_mention": {"user": dict},
}
_CONTENT: Final = (
    "text",
    "entities",
    "document",
    "photo",
    "contact",
    "location",
    "voice",
    "video",
    "sticker",
)


def send_message(state: State, params: Params) -> Json:
    """sendMessage."""
    chat = writable_chat(state, params.chat_id)
    text = formatted(params, "text", "entities")
    if not text.text:
        raise bad_request("message text is empty")
    if len(text.text) > MAX_TEXT:
        raise bad_request("message is too long")
    return _post(state, chat, params, {"text": text.text, "entities": list(text.entities) or None})


def send_document(state: State, params: Params) -> Json:
    """sendDocument."""
    chat = writable_chat(state, params.chat_id)
    file = _file(state, params, "document")
    content = {"document": {**_described(file), "file_name": file.name}, **caption(params)}
    return _post(state, chat, params, content)


def send_photo(state: State, params: Params) -> Json:
    """sendPhoto; the picture is not looked into, so its size is made up."""
    chat = writable_chat(state, params.chat_id)
    size = {**_described(_file(state, params, "photo")), "width": 800, "height": 600}
    return _post(state, chat, params, {"photo": [size], **caption(params)})


def copy_message(state: State, params: Params) -> Json:
    """copyMessage: the words and attachments without their author."""
    chat = writable_chat(state, params.chat_id)
    source = known_chat(state, params.values["from_chat_id"])
    original = message_in(source, params.integer("message_id"), "copy").body
    content = {name: original.get(name) for name in _CONTENT}
    if params.string("caption") is not None:
        content |= caption(params)
    else:
        content |= {name: original.get(name) for name in ("caption", "caption_entities")}
    return {"message_id": _post(state, chat, params, content)["message_id"]}


def formatted(params: Params, name: str, entities_name: str) -> Formatted:
    """The text parameter `name` as Telegram stores it, by its parse_mode or with entities given apart."""
    source = params.string(name) or ""
    mode = (params.string("parse_mode") or "").lower()
    if mode == "html":
        try:
            return parse_html(source)
        except BadHtmlError as error:
            raise bad_request(f"can't parse entities: {error}") from None
    if mode:
        raise bad_request("unsupported parse_mode")
    entities = params.array(entities_name)
    if not entities:
        return plain(source)
    if not all(_is_entity(entity) for entity in entities):
        raise bad_request("can't parse MessageEntity")
    return trimmed(source, entities)


def caption(params: Params) -> Json:
    """The fields of a caption."""
    text = formatted(params, "caption", "caption_entities")
    if len(text.text) > MAX_CAPTION:
        raise bad_request("message caption is too long")
    return {"caption": text.text or None, "caption_entities": list(text.entities) or None}


def _is_entity(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        return False
    kinds = {"offset": int, "length": int, **_ENTITY_EXTRAS.get(value["type"], {})}
    return all(isinstance(value.get(name), kind) for name, kind in kinds.items())


def _post(state: State, chat: Chat, params: Params, content: Json) -> Json:
    replied = _replied(chat, params.object("reply_parameters"))
    thread = topic_of(chat, params.integer("message_thread_id"))
    if thread is None and replied is not None and chat.is_forum:
        thread = topic_of(chat, replied.body.get("message_thread_id"))
    markup = params.object("reply_markup")
    keyboard = inline_keyboard(markup, chat, state.hidden_profiles)
    content |= {
        "reply_to_message": quoted(replied) if replied else None,
        "reply_markup": keyboard,
        "message_thread_id": thread,
        "is_topic_message": True if thread is not None else None,
        "has_protected_content": True if params.flag("protect_content") else None,
    }
    message = state.put(
        chat,
        state.me,
        content,
        silent=params.flag("disable_notification"),
        reply_keyboard=markup if markup and "inline_keyboard" not in markup else None,
    )
    return message.body


def _replied(chat: Chat, reply: Json | None) -> Message | None:
    if reply is None:
        return None
    if unknown := set(reply) - _REPLY_FIELDS:
        raise bad_request(f'unknown field "{min(unknown)}" of reply_parameters')
    if not isinstance(reply.get("message_id"), int):
        raise bad_request("can't parse reply parameters: message_id is an integer")
    if reply.get("chat_id", chat.id) != chat.id:
        raise bad_request("the stand-in knows no replies to another chat")
    message = chat.messages.get(reply["message_id"])
    # In forums the permission to send without the reply counts for nothing.
    if message is None and (chat.is_forum or not reply.get("allow_sending_without_reply")):
        raise bad_request("message to be replied not found")
    return message


def _file(state: State, params: Params, name: str) -> File:
    if upload := params.upload(name):
        if not upload.content:
            raise bad_request("file must be non-empty")
        return state.store(upload.name, upload.content)
    if file := state.files.get(params.string(name) or ""):
        return file
    raise bad_request("wrong file identifier/HTTP URL specified")


def _described(file: File) -> Json:
    return {"file_id": file.id, "file_unique_id": f"unique-{file.id}", "file_size": len(file.content)}
