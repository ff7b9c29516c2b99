"""What people do, as far as a bot can see or feel it."""

from __future__ import annotations

from typing import Final

from bot.sandbox.chats import ANONYMOUS, Chat, ChatType, Json, MemberStatus, User, member, quoted
from bot.sandbox.entities import clean, commands, plain
from bot.sandbox.media import MediaKind, media
from bot.sandbox.state import Query, State
from bot.sandbox.updates import UpdateType

CHANNEL_ID: Final = -1009876543210


class People(State):
    """A State in which people act. Every action happens at once; most return an id."""

    privacy: bool = True
    """The bot's privacy mode: unless it is an administrator, it hears commands and replies to itself only."""

    def say(
        self,
        user: User,
        text: str,
        *,
        chat_id: int | None = None,
        reply_to: int | None = None,
        thread: int | None = None,
        **extra: object,
    ) -> int:
        """Write to the bot (`chat_id` None) or in a group; `extra` goes into the message as it is."""
        words = plain(text).text
        content: Json = {"text": words, "entities": commands(words) or None, **extra}
        return self._post(user, content, chat_id=chat_id, reply_to=reply_to, thread=thread)

    def share_contact(self, user: User, phone: str, *, own: bool = True) -> int:
        """Share a phone number with the bot: one's own, which then names the user, or another's."""
        contact = {"phone_number": phone, "first_name": user.first_name}
        return self._post(user, {"contact": contact | ({"user_id": user.id} if own else {})})

    def send_media(
        self,
        user: User,
        kind: MediaKind,
        *,
        caption: str | None = None,
        media_group_id: str | None = None,
        chat_id: int | None = None,
        thread: int | None = None,
    ) -> int:
        """Send a photo, voice message, place or the like."""
        content: Json = {"media_group_id": media_group_id, **media(kind)}
        if caption is not None:
            content |= {"caption": clean(caption), "caption_entities": commands(caption) or None}
        return self._post(user, content, chat_id=chat_id, thread=thread)

    def edit(self, user: User, message_id: int, text: str, *, chat_id: int | None = None) -> None:
        """Change one's own message."""
        chat = self._chat_of(user, chat_id)
        message = chat.messages[message_id]
        body = {key: value for key, value in message.body.items() if key != "entities"}
        body["text"] = plain(text).text
        if found := commands(body["text"]):
            body["entities"] = found
        self.edit_message(chat, message, body)
        if self._is_heard(chat, message.body):
            self.updates.push(UpdateType.EDITED_MESSAGE, message.body)

    def delete(self, chat_id: int, message_id: int) -> None:
        """Delete a message, of whomever; bots are not told."""
        self.remove(self.chats[chat_id], message_id)

    def channel_post(self, text: str, *, title: str = "News") -> int:
        """A post in a channel that has the bot as administrator."""
        chat = self.chats.get(CHANNEL_ID) or self.add_chat(
            Chat(id=CHANNEL_ID, type=ChatType.CHANNEL, title=title)
        )
        content = {"from": None, "sender_chat": chat.json(), "text": text, "entities": commands(text) or None}
        message = self.put(chat, ANONYMOUS, content)
        self.updates.push(UpdateType.CHANNEL_POST, message.body)
        return message.id

    def press(
        self,
        user: User,
        chat_id: int,
        message_id: int,
        data: str,
        *,
        anonymous: bool = False,
        without_message: bool = False,
        message: Json | None = None,
    ) -> str:
        """Press a button and return the id of the callback query.

        As from a real client, `data` need not be on any button; `message` overrides what the query claims to
        be about. A message that is gone arrives as an inaccessible one.
        """
        query = Query(id=str(next(self.counters.queries)), user=user, data=data, at=self.clock())
        self.queries[query.id] = query
        body: Json = {
            "id": query.id,
            "from": (ANONYMOUS if anonymous else user).json(),
            "chat_instance": str(abs(chat_id) * 31),
            "data": data,
        }
        if not without_message:
            body["message"] = message or self._pressed(chat_id, message_id)
        self.updates.push(UpdateType.CALLBACK_QUERY, body)
        return query.id

    def block(self, user: User) -> None:
        """Block the bot."""
        self.blocked.add(user.id)
        self._membership(self.private_chat(user), user, MemberStatus.MEMBER, MemberStatus.KICKED)

    def unblock(self, user: User) -> None:
        """Unblock the bot."""
        self.blocked.discard(user.id)
        self._membership(self.private_chat(user), user, MemberStatus.KICKED, MemberStatus.MEMBER)

    def _chat_of(self, user: User, chat_id: int | None) -> Chat:
        return self.private_chat(user) if chat_id is None or chat_id == user.id else self.chats[chat_id]

    def _post(
        self,
        user: User,
        content: Json,
        *,
        chat_id: int | None = None,
        reply_to: int | None = None,
        thread: int | None = None,
    ) -> int:
        chat = self._chat_of(user, chat_id)
        if chat.type is ChatType.PRIVATE and user.id in self.blocked:
            self.unblock(user)
        if thread is None and reply_to is not None and chat.is_forum:
            thread = chat.messages[reply_to].body.get("message_thread_id")
        if thread is not None:
            content = content | {"message_thread_id": thread, "is_topic_message": True}
        if reply_to is not None:
            content = content | {"reply_to_message": quoted(chat.messages[reply_to])}
        message = self.put(chat, user, content)
        if self._is_heard(chat, message.body):
            self.updates.push(UpdateType.MESSAGE, message.body)
        return message.id

    def _is_heard(self, chat: Chat, body: Json) -> bool:
        if chat.type is ChatType.PRIVATE:
            return True
        if chat.bot_status in {MemberStatus.KICKED, MemberStatus.LEFT}:
            return False
        if not self.privacy or chat.bot_status is MemberStatus.ADMINISTRATOR:
            return True
        if body.get("reply_to_message", {}).get("from", {}).get("id") == self.me.id:
            return True
        first = next(iter(body.get("entities", [])), {"type": "", "offset": 1})
        if first["type"] != "bot_command" or first["offset"] != 0:
            return False
        _, at, name = body["text"][: first["length"]].partition("@")
        return not at or name.lower() == (self.me.username or "").lower()

    def _pressed(self, chat_id: int, message_id: int) -> Json:
        if message := self.message(chat_id, message_id):
            return message.body
        return {"chat": self.chats[chat_id].json(), "message_id": message_id, "date": 0}

    def _membership(self, chat: Chat, by: User, before: MemberStatus, after: MemberStatus) -> None:
        self.updates.push(
            UpdateType.MY_CHAT_MEMBER,
            {
                "chat": chat.json(),
                "from": by.json(),
                "date": int(self.clock()),
                "old_chat_member": member(self.me, before, chat.bot_rights),
                "new_chat_member": member(self.me, after, chat.bot_rights),
            },
        )
