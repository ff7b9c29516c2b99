"""Rows of the topics: which one of the operators' group belongs to whom."""

from agent.outgoing import Topic, TopicState
from storage.sql import Sql


class Topics:
    """One topic for a contact, in the group as it is now."""

    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    def of(self, contact_id: int, chat_id: int) -> Topic | None:
        row = self._sql.maybe("topic", contact_id=contact_id, chat_id=chat_id)
        if row is None:
            return None
        return Topic(state=TopicState(row["state"]), thread_id=row["thread_id"], asked_at=row["asked_at"])

    def contact_in(self, chat_id: int, thread_id: int) -> int | None:
        """The contact to whom the topic belongs."""
        row = self._sql.maybe("contact_of_topic", chat_id=chat_id, thread_id=thread_id)
        return int(row["contact_id"]) if row else None

    def begin(self, contact_id: int, chat_id: int, at: int) -> None:
        """It is going to be asked for: from here on it may be there."""
        self._sql.run("begin_topic", contact_id=contact_id, chat_id=chat_id, at=at)

    def open(self, contact_id: int, chat_id: int, thread_id: int) -> None:
        """It was made, as the answer says."""
        self._sql.run("open_topic", contact_id=contact_id, chat_id=chat_id, thread_id=thread_id)

    def adopt(self, contact_id: int, chat_id: int, thread_id: int) -> None:
        """It was made, as the group tells; nothing happens where that is known."""
        self._sql.run("adopt_topic", contact_id=contact_id, chat_id=chat_id, thread_id=thread_id)

    def lost(self, contact_id: int) -> None:
        """The answer never came, so it may be there; nothing happens where the group told of it meanwhile."""
        self._sql.run("lose_topic", contact_id=contact_id)

    def forget(self, contact_id: int, chat_id: int, thread_id: int | None) -> None:
        """It is certainly not there; another one that was made since stays."""
        self._sql.run("forget_topic", contact_id=contact_id, chat_id=chat_id, thread_id=thread_id)

    def recover(self) -> None:
        """At start: the answer that was waited for will not come any more."""
        self._sql.run("lose_topics")
