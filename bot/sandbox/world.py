"""The world around the bot: its people, the operators' group, a website, and a look at what the bot did."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from bot.sandbox.chats import ANONYMOUS, Chat, ChatType, Json, MemberStatus, Right, User
from bot.sandbox.events import EventType
from bot.sandbox.inbox import Inbox
from bot.sandbox.people import People
from bot.sandbox.state import DEFAULT_TOKEN
from bot.sandbox.updates import UpdateType
from bot.sandbox.website import Website

_SERVICE_FIELDS: Final = frozenset(
    {
        "pinned_message",
        "forum_topic_created",
        "forum_topic_edited",
        "forum_topic_closed",
        "forum_topic_reopened",
    }
)


class World(People):
    """One bot, one group of operators, and everyone who writes.

    `token` is the only one that works; `clock` gives seconds since the epoch; `webhook_pause` is the first
    pause, in seconds, before an update is posted again; `forum` gives the group topics.
    """

    def __init__(
        self,
        *,
        token: str = DEFAULT_TOKEN,
        clock: Callable[[], float] = time.time,
        webhook_pause: float = 1.0,
        group_type: ChatType = ChatType.SUPERGROUP,
        forum: bool = False,
        privacy: bool = True,
    ) -> None:
        super().__init__(token=token, clock=clock, webhook_pause=webhook_pause)
        self.privacy = privacy
        self.model: str | None = None
        self.strangers: set[int] = set()
        self.inbox = Inbox(clock, self._arrived)
        self.website = Website(clock, self._submitted)
        self.group = self.add_group("Operators", group_type, forum=forum)

    def add_person(
        self,
        name: str,
        *,
        user_id: int | None = None,
        language_code: str = "ru",
        username: str | None = None,
        operator: bool = False,
        stranger: bool = False,
    ) -> User:
        """A new person. An operator is in the group; a stranger is a lead once they write to the bot."""
        user = User(
            id=next(self.counters.users) if user_id is None else user_id,
            first_name=name,
            username=username,
            language_code=language_code,
        )
        self.users[user.id] = user
        if stranger:
            self.strangers.add(user.id)
        if operator:
            self.group.members[user.id] = MemberStatus.MEMBER
        self.events.publish(EventType.CHAT, user={"id": user.id, "name": user.name}, operator=operator)
        self.changed()
        return user

    def add_group(self, title: str, group_type: ChatType, *, forum: bool = False) -> Chat:
        """A new group with the bot as administrator."""
        number = next(self.counters.groups if group_type is ChatType.GROUP else self.counters.supergroups)
        return self.add_chat(Chat(id=-number, type=group_type, title=title, is_forum=forum))

    def operators(self) -> list[User]:
        """The people in the operators' group."""
        return [self.users[user_id] for user_id in self.group.members]

    def leads(self) -> list[User]:
        """Everyone else who is no stranger."""
        others = [user for user in self.users.values() if user.id not in self.group.members]
        return [user for user in others if user.id in self.chats or user.id not in self.strangers]

    def kick_bot(self) -> None:
        """Throw the bot out of the group."""
        before, self.group.bot_status = self.group.bot_status, MemberStatus.KICKED
        self._membership(self.group, ANONYMOUS, before, MemberStatus.KICKED)

    def readmit_bot(self) -> None:
        """Take the bot into the group again, as an administrator."""
        before, self.group.bot_status = self.group.bot_status, MemberStatus.ADMINISTRATOR
        self._membership(self.group, ANONYMOUS, before, MemberStatus.ADMINISTRATOR)

    def grant(self, *rights: Right) -> None:
        """Let the bot have exactly these of an administrator's rights in the group."""
        self.group.bot_rights = set(rights)
        self._membership(self.group, ANONYMOUS, self.group.bot_status, self.group.bot_status)

    def restrict_bot(self) -> None:
        """Forbid the bot to write in the group."""
        self.group.bot_status = MemberStatus.RESTRICTED
        self.group.bot_rights.clear()

    def migrate_group(self) -> int:
        """Upgrade the group to a supergroup and return the new id; raises ValueError if it is one already."""
        old = self.group
        if old.type is not ChatType.GROUP:
            raise ValueError("only a basic group can be upgraded")
        self.group = self.add_group(old.title or "", ChatType.SUPERGROUP)
        self.group.members = dict(old.members)
        old.migrated_to = self.group.id
        self.events.publish(EventType.CHAT, group_id=self.group.id)
        self._service(old, {"migrate_to_chat_id": self.group.id})
        self._service(self.group, {"migrate_from_chat_id": old.id})
        return self.group.id

    def delete_topic(self, thread: int) -> None:
        """Delete a topic of the group with its messages; bots are not told."""
        del self.group.topics[thread]
        for message in list(self.group.messages.values()):
            if message.body.get("message_thread_id") == thread:
                self.remove(self.group, message.id)

    def close_topic(self, thread: int) -> None:
        """Close a topic of the group."""
        self.group.topics[thread].closed = True
        content = {"forum_topic_closed": {}, "message_thread_id": thread, "is_topic_message": True}
        self._service(self.group, content)

    def sent(self, chat_id: int) -> list[Json]:
        """The bot's own messages in a chat as they are now, without service messages."""
        chat = self.chats.get(chat_id)
        bodies = [message.body for message in chat.messages.values()] if chat else []
        return [
            body
            for body in bodies
            if body.get("from", {}).get("id") == self.me.id and not body.keys() & _SERVICE_FIELDS
        ]

    def journal(self, line: Json) -> None:
        """Show a line in the page's journal."""
        self.journal_lines.append(line)
        self.events.publish(EventType.JOURNAL, line=line)
        self.changed()

    def _arrived(self, item: Json) -> None:
        self.events.publish(EventType.INBOX, item=item)
        self.changed()

    def _submitted(self, submission: Json) -> None:
        self.events.publish(EventType.SUBMISSION, submission=submission)
        self.changed()

    def _service(self, chat: Chat, content: Json) -> None:
        message = self.put(chat, ANONYMOUS, content)
        self.updates.push(UpdateType.MESSAGE, message.body)
