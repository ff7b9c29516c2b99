"""The methods that change what was posted."""

from __future__ import annotations

from typing import Final

from bot.sandbox.access import editable_message, message_in, open_chat, require
from bot.sandbox.chats import Chat, Json, Message, Right, quoted
from bot.sandbox.errors import bad_request
from bot.sandbox.keyboards import inline_keyboard
from bot.sandbox.params import Params
from bot.sandbox.posting import MAX_TEXT, caption, formatted
from bot.sandbox.state import State
from bot.sandbox.updates import UpdateType

DELETABLE_SECONDS: Final = 48 * 3600
"""How long a message can be deleted; editing one's own has no such end."""

REACTIONS: Final = frozenset(
    [
        *"❤👍👎🔥🥰👏😁🤔🤯😱🤬😢🎉🤩🤮💩🙏👌🕊🤡🥱🥴😍🐳🌚🌭💯🤣⚡🍌🏆💔🤨😐",
        *"🍓🍾💋🖕😈😴😭🤓👻👀🎃🙈😇😨🤝✍🤗🫡🎅🎄☃💅🤪🗿🆒💘🙉🦄😘💊🙊😎👾🤷😡",
        "❤\u200d🔥",
        "👨\u200d💻",
        "🤷\u200d♂",
        "🤷\u200d♀",
    ]
)
"""The emoji that ReactionTypeEmoji allows."""


def edit_message_text(state: State, params: Params) -> Json:
    """editMessageText."""
    chat, message = editable_message(state, params)
    if "text" not in message.body:
        raise bad_request("there is no text in the message to edit")
    text = formatted(params, "text", "entities")
    if not text.text:
        raise bad_request("message text is empty")
    if len(text.text) > MAX_TEXT:
        raise bad_request("MESSAGE_TOO_LONG")
    return _edit(state, chat, message, params, {"text": text.text, "entities": list(text.entities) or None})


def edit_message_caption(state: State, params: Params) -> Json:
    """editMessageCaption."""
    chat, message = editable_message(state, params)
    if "document" not in message.body and "photo" not in message.body:
        raise bad_request("there is no caption in the message to edit")
    return _edit(state, chat, message, params, caption(params))


def edit_message_reply_markup(state: State, params: Params) -> Json:
    """editMessageReplyMarkup."""
    chat, message = editable_message(state, params)
    return _edit(state, chat, message, params, {})


def delete_message(state: State, params: Params) -> bool:
    """deleteMessage: one's own, anyone's in a private chat, and in groups with the right to."""
    chat = open_chat(state, params.chat_id)
    message = message_in(chat, params.integer("message_id"), "delete")
    if message.body.get("from", {}).get("id") != state.me.id:
        require(chat, Right.DELETE_MESSAGES, "delete a message")
    if state.clock() - message.body["date"] > DELETABLE_SECONDS:
        raise bad_request("message can't be deleted for everyone")
    state.remove(chat, message.id)
    return True


def set_message_reaction(state: State, params: Params) -> bool:
    """setMessageReaction: bots have one reaction per message."""
    chat = open_chat(state, params.chat_id)
    message = message_in(chat, params.integer("message_id"), "react")
    reactions = params.array("reaction") or []
    emoji = [str(reaction.get("emoji")) for reaction in reactions if isinstance(reaction, dict)]
    if len(emoji) > 1:
        raise bad_request("REACTIONS_TOO_MANY")
    if len(emoji) != len(reactions) or not set(emoji) <= REACTIONS:
        raise bad_request("REACTION_INVALID")
    state.react(chat, message, emoji)
    return True


def pin_chat_message(state: State, params: Params) -> bool:
    """pinChatMessage, which leaves a service message behind; the bot is told of it like everyone."""
    chat = open_chat(state, params.chat_id)
    require(chat, Right.PIN_MESSAGES, "manage pinned messages in the chat")
    message = message_in(chat, params.integer("message_id"), "pin")
    if message.id not in chat.pinned:
        chat.pinned.append(message.id)
        silent = params.flag("disable_notification")
        notice = state.put(chat, state.me, {"pinned_message": quoted(message)}, silent=silent)
        state.updates.push(UpdateType.MESSAGE, notice.body)
    return True


def unpin_chat_message(state: State, params: Params) -> bool:
    """unpinChatMessage: the named one, else the latest."""
    chat = open_chat(state, params.chat_id)
    require(chat, Right.PIN_MESSAGES, "manage pinned messages in the chat")
    message_id = params.integer("message_id") or (chat.pinned[-1] if chat.pinned else None)
    if message_id not in chat.pinned:
        raise bad_request("message to unpin not found")
    chat.pinned.remove(message_id)
    state.changed()
    return True


def _edit(state: State, chat: Chat, message: Message, params: Params, content: Json) -> Json:
    markup = params.object("reply_markup")
    if markup and "inline_keyboard" not in markup:
        raise bad_request("inline keyboard expected")
    keyboard = inline_keyboard(markup, chat, state.hidden_profiles)
    body = {**message.body, **content, "reply_markup": keyboard}
    body = {name: value for name, value in body.items() if value is not None}
    if body == message.body:
        raise bad_request(
            "message is not modified: specified new message content and reply markup are exactly the same "
            "as a current content and reply markup of the message"
        )
    state.edit_message(chat, message, body)
    return message.body
