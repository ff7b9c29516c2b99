"""What reply_markup may say, and the keyboard that comes of it."""

from __future__ import annotations

from typing import Any, Final
from urllib.parse import urlsplit

from bot.sandbox.chats import Chat, ChatType, Json
from bot.sandbox.errors import bad_request

_ACTIONS: Final = frozenset(
    {
        "url",
        "callback_data",
        "web_app",
        "login_url",
        "switch_inline_query",
        "switch_inline_query_current_chat",
        "switch_inline_query_chosen_chat",
        "copy_text",
        "callback_game",
        "pay",
    }
)
_LOOKS: Final = frozenset({"text", "style", "icon_custom_emoji_id"})
_STYLES: Final = frozenset({"primary", "success", "danger"})
_REPLY_MARKUPS: Final = {
    "keyboard": {
        "is_persistent",
        "resize_keyboard",
        "one_time_keyboard",
        "input_field_placeholder",
        "selective",
    },
    "remove_keyboard": {"selective"},
    "force_reply": {"input_field_placeholder", "selective"},
}
_REPLY_BUTTON: Final = _LOOKS | {
    "request_users",
    "request_chat",
    "request_managed_bot",
    "request_contact",
    "request_location",
    "request_poll",
    "web_app",
}


def inline_keyboard(markup: Json | None, chat: Chat, hidden_profiles: set[int]) -> Json | None:
    """Check a reply_markup for `chat`; return it if it is a keyboard that belongs to the message.

    `hidden_profiles` are people whose privacy settings refuse a button to their profile. Raises 400 in
    Telegram's words for anything wrong, since one bad button refuses the whole message.
    """
    if markup is None:
        return None
    if "inline_keyboard" not in markup:
        _check_reply_markup(markup, chat)
        return None
    if set(markup) != {"inline_keyboard"}:
        raise bad_request("unknown field in the inline keyboard")
    rows = _rows(markup["inline_keyboard"], "inline keyboard")
    for row in rows:
        for button in row:
            _check_button(button, chat, hidden_profiles)
    rows = [row for row in rows if row]
    return {"inline_keyboard": rows} if rows else None


def _rows(value: Any, name: str) -> list[list[Any]]:
    if not isinstance(value, list) or not all(isinstance(row, list) for row in value):
        raise bad_request(f"can't parse {name}: an array of arrays is expected")
    return value


def _check_button(button: Any, chat: Chat, hidden_profiles: set[int]) -> None:
    if not isinstance(button, dict):
        raise bad_request("can't parse inline keyboard button: expected an Object")
    if unknown := set(button) - _ACTIONS - _LOOKS:
        raise bad_request(f'unknown field "{min(unknown)}" of an inline keyboard button')
    _check_looks(button)
    match [name for name in button if name in _ACTIONS]:
        case []:
            raise bad_request(
                "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"
            )
        case [action]:
            _check_action(action, button[action], chat, hidden_profiles)
        case _:
            raise bad_request("can't parse inline keyboard button: exactly one action is expected")


def _check_looks(button: Json) -> None:
    text = button.get("text")
    if not isinstance(text, str) or not text.strip():
        raise bad_request("can't parse keyboard button: text must be non-empty")
    if "style" in button and button["style"] not in _STYLES:
        raise bad_request("can't parse keyboard button: invalid button style specified")


def _check_action(action: str, value: Any, chat: Chat, hidden_profiles: set[int]) -> None:
    match action:
        case "callback_data":
            if not isinstance(value, str) or not 1 <= len(value.encode()) <= 64:
                raise bad_request("BUTTON_DATA_INVALID")
        case "copy_text":
            text = value.get("text") if isinstance(value, dict) else None
            if not isinstance(text, str) or set(value) != {"text"} or not 1 <= len(text) <= 256:
                raise bad_request("BUTTON_COPY_TEXT_INVALID")
        case "url":
            _check_url(value, hidden_profiles)
        case "web_app" if chat.type is not ChatType.PRIVATE:
            raise bad_request("BUTTON_TYPE_INVALID")
        case _:
            pass


def _check_url(url: Any, hidden_profiles: set[int]) -> None:
    if not isinstance(url, str):
        raise bad_request('can\'t parse inline keyboard button: Field "url" must be of type String')
    if user_id := _profile(url):
        if user_id in hidden_profiles:
            raise bad_request("BUTTON_USER_PRIVACY_RESTRICTED")
        return
    if reason := _fault_of(url):
        raise bad_request(f"inline keyboard button URL '{url}' is invalid: {reason}")


def _profile(url: str) -> int | None:
    digits = url.removeprefix("tg://user?id=")
    return int(digits) if digits != url and digits.isascii() and digits.isdigit() else None


def _fault_of(url: str) -> str | None:
    try:
        parts = urlsplit(url if "://" in url else f"http://{url}")
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "Wrong HTTP URL"
    if parts.scheme not in {"http", "https", "tg", "ton"}:
        return "Unsupported URL protocol"
    if not host or any(character.isspace() for character in url):
        return "URL host is empty" if not host else "Wrong HTTP URL"
    if parts.scheme in {"http", "https"} and "." not in host.strip(".") and ":" not in host:
        return "Wrong HTTP URL"
    return None


def _check_reply_markup(markup: Json, chat: Chat) -> None:
    kind = next((kind for kind in _REPLY_MARKUPS if kind in markup), None)
    if kind is None or (kind != "keyboard" and markup[kind] is not True):
        raise bad_request("object expected as reply markup")
    if unknown := set(markup) - {kind} - _REPLY_MARKUPS[kind]:
        raise bad_request(f'unknown field "{min(unknown)}" of the reply markup')
    for row in _rows(markup.get("keyboard", []), "keyboard"):
        for button in row:
            _check_reply_button({"text": button} if isinstance(button, str) else button, chat)


def _check_reply_button(button: Any, chat: Chat) -> None:
    if not isinstance(button, dict) or set(button) - _REPLY_BUTTON:
        raise bad_request("can't parse keyboard button")
    _check_looks(button)
    if button.get("request_contact") and chat.type is not ChatType.PRIVATE:
        raise bad_request("phone number can be requested in private chats only")
    if button.get("request_location") and chat.type is not ChatType.PRIVATE:
        raise bad_request("location can be requested in private chats only")
