"""The methods that are no message: presses, chats, topics, files and the bot's own commands."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from bot.sandbox.access import known_chat, open_chat, require, topic_of, writable_chat
from bot.sandbox.chats import Chat, ChatType, Json, MemberStatus, Right, Topic, member
from bot.sandbox.errors import bad_request
from bot.sandbox.events import EventType
from bot.sandbox.params import Params
from bot.sandbox.state import QUERY_SECONDS, Answer, State
from bot.sandbox.updates import UpdateType

MAX_ANSWER: Final = 200
MAX_TOPIC_NAME: Final = 128

_ACTIONS: Final = frozenset(
    {
        "typing",
        "upload_photo",
        "record_video",
        "upload_video",
        "record_voice",
        "upload_voice",
        "upload_document",
        "choose_sticker",
        "find_location",
        "record_video_note",
        "upload_video_note",
    }
)
_GIFTS: Final = (
    "unlimited_gifts",
    "limited_gifts",
    "unique_gifts",
    "premium_subscription",
    "gifts_from_channels",
)
_COMMAND = re.compile(r"[a-z0-9_]{1,32}")


def get_me(state: State, params: Params) -> Json:
    """getMe."""
    return state.me.json() | {
        "can_join_groups": True,
        "can_read_all_group_messages": False,
        "supports_inline_queries": False,
        "can_connect_to_business": False,
        "has_main_web_app": False,
        "has_topics_enabled": False,
        "allows_users_to_create_topics": False,
    }


def answer_callback_query(state: State, params: Params) -> bool:
    """answerCallbackQuery: once, and while the press is young."""
    text = params.string("text")
    if text and len(text) > MAX_ANSWER:
        raise bad_request("MESSAGE_TOO_LONG")
    query = state.queries.get(params.string("callback_query_id") or "")
    if query is None or query.answer is not None or state.clock() - query.at > QUERY_SECONDS:
        raise bad_request("query is too old and response timeout expired or query ID is invalid")
    state.answer(query, Answer(text=text, alert=params.flag("show_alert"), url=params.string("url")))
    return True


def send_chat_action(state: State, params: Params) -> bool:
    """sendChatAction."""
    chat = writable_chat(state, params.chat_id)
    topic_of(chat, params.integer("message_thread_id"))
    if params.string("action") not in _ACTIONS:
        raise bad_request("wrong parameter action in request")
    state.events.publish(EventType.TYPING, chat_id=chat.id, action=params.string("action"))
    return True


def get_chat(state: State, params: Params) -> Json:
    """getChat, with what ChatFullInfo must have."""
    chat = open_chat(state, params.chat_id)
    info = chat.json() | {
        "accent_color_id": 0,
        "max_reaction_count": 11,
        "accepted_gift_types": dict.fromkeys(_GIFTS, False),
    }
    if chat.pinned:
        info["pinned_message"] = chat.messages[chat.pinned[-1]].body
    return info


def get_chat_member(state: State, params: Params) -> Json:
    """getChatMember."""
    chat = open_chat(state, params.chat_id)
    user_id = params.integer("user_id") or 0
    if user_id == state.me.id:
        return member(state.me, chat.bot_status, chat.bot_rights)
    if user_id not in state.users:
        raise bad_request("user not found")
    return member(state.users[user_id], chat.members.get(user_id, MemberStatus.LEFT))


def get_chat_administrators(state: State, params: Params) -> list[Json]:
    """getChatAdministrators; without return_bots only the bot itself of all bots."""
    chat = open_chat(state, params.chat_id)
    if chat.type is ChatType.PRIVATE:
        raise bad_request("there are no administrators in the private chat")
    ranks = {MemberStatus.CREATOR, MemberStatus.ADMINISTRATOR}
    found = [member(state.users[id_], status) for id_, status in chat.members.items() if status in ranks]
    return [*found, member(state.me, chat.bot_status, chat.bot_rights)] if chat.bot_status in ranks else found


def leave_chat(state: State, params: Params) -> bool:
    """leaveChat."""
    chat = open_chat(state, params.chat_id)
    if chat.type is ChatType.PRIVATE:
        raise bad_request("chat member status can't be changed in private chats")
    chat.bot_status = MemberStatus.LEFT
    state.changed()
    return True


def get_file(state: State, params: Params) -> Json:
    """getFile; the path is good under /file/bot<token>/."""
    file = state.files.get(params.string("file_id") or "")
    if file is None:
        raise bad_request("wrong file_id or the file is temporarily unavailable")
    return {
        "file_id": file.id,
        "file_unique_id": f"unique-{file.id}",
        "file_size": len(file.content),
        "file_path": f"documents/{file.id}",
    }


def create_forum_topic(state: State, params: Params) -> Json:
    """createForumTopic; like everyone, the bot is told of the new topic."""
    chat = _forum(state, params)
    name = _topic_name(params)
    color = params.integer("icon_color") or Topic(id=0, name="").icon_color
    created = {"name": name, "icon_color": color}
    thread = next(chat.ids)
    chat.topics[thread] = Topic(id=thread, name=name, icon_color=color)
    content = {"message_id": thread, "message_thread_id": thread, "is_topic_message": True}
    opened = state.put(chat, state.me, {**content, "forum_topic_created": created})
    state.updates.push(UpdateType.MESSAGE, opened.body)
    return {"message_thread_id": thread, **created}


def edit_forum_topic(state: State, params: Params) -> bool:
    """editForumTopic."""
    chat = _forum(state, params)
    topic = _topic(chat, params)
    if params.string("name"):
        name = _topic_name(params)
        if name == topic.name:
            raise bad_request("TOPIC_NOT_MODIFIED")
        topic.name = name
        _note(state, chat, topic, {"forum_topic_edited": {"name": name}})
    return True


def close_forum_topic(state: State, params: Params) -> bool:
    """closeForumTopic."""
    return _set_closed(state, params, closed=True)


def reopen_forum_topic(state: State, params: Params) -> bool:
    """reopenForumTopic."""
    return _set_closed(state, params, closed=False)


def set_my_commands(state: State, params: Params) -> bool:
    """setMyCommands."""
    commands = params.array("commands") or []
    if len(commands) > 100:
        raise bad_request("BOT_COMMANDS_TOO_MUCH")
    for command in commands:
        _check_command(command)
    state.commands[_scope(state, params)] = commands
    state.changed()
    return True


def delete_my_commands(state: State, params: Params) -> bool:
    """deleteMyCommands."""
    state.commands.pop(_scope(state, params), None)
    state.changed()
    return True


def _forum(state: State, params: Params) -> Chat:
    chat = open_chat(state, params.chat_id)
    if not chat.is_forum:
        raise bad_request("the chat is not a forum")
    require(chat, Right.MANAGE_TOPICS, "manage topics in the chat")
    return chat


def _topic(chat: Chat, params: Params) -> Topic:
    topic = chat.topics.get(params.integer("message_thread_id") or 0)
    if topic is None:
        raise bad_request("message thread not found")
    return topic


def _set_closed(state: State, params: Params, *, closed: bool) -> bool:
    chat = _forum(state, params)
    topic = _topic(chat, params)
    if topic.closed is closed:
        raise bad_request("TOPIC_NOT_MODIFIED")
    topic.closed = closed
    _note(state, chat, topic, {"forum_topic_closed" if closed else "forum_topic_reopened": {}})
    return True


def _topic_name(params: Params) -> str:
    name = (params.string("name") or "").strip()
    if not name:
        raise bad_request("TOPIC_TITLE_EMPTY")
    if len(name) > MAX_TOPIC_NAME:
        raise bad_request("topic name is too long")
    return name


def _note(state: State, chat: Chat, topic: Topic, content: Json) -> None:
    content = {**content, "message_thread_id": topic.id, "is_topic_message": True}
    state.updates.push(UpdateType.MESSAGE, state.put(chat, state.me, content).body)


def _check_command(command: Any) -> None:
    if not isinstance(command, dict) or set(command) != {"command", "description"}:
        raise bad_request("can't parse BotCommand")
    if not _COMMAND.fullmatch(str(command["command"])):
        raise bad_request("BOT_COMMAND_INVALID")
    if not 1 <= len(str(command["description"])) <= 256:
        raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")


def _scope(state: State, params: Params) -> str:
    scope = params.object("scope") or {"type": "default"}
    if "chat_id" in scope:
        chat_id = scope["chat_id"]
        known_chat(state, chat_id if isinstance(chat_id, int) else str(chat_id))
    return json.dumps([scope, params.string("language_code") or ""], sort_keys=True)
