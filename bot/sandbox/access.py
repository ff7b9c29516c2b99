"""May the bot do this here? Telegram's refusals that concern a chat, a topic or a message."""

from __future__ import annotations

from bot.sandbox.chats import Chat, ChatType, MemberStatus, Message, Right
from bot.sandbox.errors import bad_request, forbidden
from bot.sandbox.params import Params
from bot.sandbox.state import State

_OUT = {MemberStatus.KICKED: "bot was kicked from the", MemberStatus.LEFT: "bot is not a member of the"}


def known_chat(state: State, chat_id: int | str | None) -> Chat:
    """The chat that `chat_id` names, whatever became of it."""
    if isinstance(chat_id, int):
        if chat := state.chats.get(chat_id):
            return chat
        if chat_id in state.users:
            raise forbidden("bot can't initiate conversation with a user")
    elif chat_id:
        name = chat_id.removeprefix("@").lower()
        for chat in state.chats.values():
            if chat.username and chat.username.lower() == name:
                return chat
    raise bad_request("chat not found")


def open_chat(state: State, chat_id: int | str | None) -> Chat:
    """The same if the bot is in it and can still act there."""
    chat = known_chat(state, chat_id)
    if chat.migrated_to is not None:
        raise bad_request("group chat was upgraded to a supergroup chat", migrate_to_chat_id=chat.migrated_to)
    if chat.bot_status in _OUT:
        place = "group" if chat.type is ChatType.GROUP else chat.type.value
        raise forbidden(f"{_OUT[chat.bot_status]} {place} chat")
    return chat


def writable_chat(state: State, chat_id: int | str | None) -> Chat:
    """The same if the bot can write there."""
    chat = open_chat(state, chat_id)
    if chat.type is ChatType.PRIVATE and chat.id in state.blocked:
        raise forbidden("bot was blocked by the user")
    if chat.bot_status is MemberStatus.RESTRICTED:
        raise bad_request("not enough rights to send text messages to the chat")
    return chat


def topic_of(chat: Chat, thread: int | None) -> int | None:
    """`thread` if one can write in that topic of the chat; None where the chat has no topics.

    The Bot API server drops the thread where a group is no forum (any more): the message comes all the same.
    """
    if thread is None or not chat.is_forum:
        return None
    topic = chat.topics.get(thread)
    if topic is None:
        raise bad_request("message thread not found")
    if topic.closed:
        raise bad_request("TOPIC_CLOSED")
    return thread


def message_in(chat: Chat, message_id: int | None, purpose: str) -> Message:
    """A message that is there; `purpose` ends Telegram's "message to … not found"."""
    if message_id is None:
        raise bad_request("message identifier is not specified")
    if message := chat.messages.get(message_id):
        return message
    raise bad_request(f"message to {purpose} not found")


def editable_message(state: State, params: Params) -> tuple[Chat, Message]:
    """The bot's own message that an edit names; there are no inline messages here."""
    if params.chat_id is None:
        raise bad_request("message identifier is not specified")
    chat = open_chat(state, params.chat_id)
    message = message_in(chat, params.integer("message_id"), "edit")
    if message.body.get("from", {}).get("id") != state.me.id:
        raise bad_request("message can't be edited")
    return chat, message


def require(chat: Chat, right: Right, refusal: str) -> None:
    """Raise 400 unless the bot has this right in a group; a private chat needs none."""
    if chat.type is not ChatType.PRIVATE and right not in chat.bot_rights:
        raise bad_request(f"not enough rights to {refusal}")
