"""The row of the pinned line."""

from agent.outgoing import Line
from storage.sql import Sql


class Pinned:
    """There is one line at most."""

    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    def get(self) -> Line | None:
        row = self._sql.maybe("pinned_line")
        if row is None:
            return None
        return Line(
            chat_id=row["chat_id"],
            message_id=row["message_id"],
            text=row["text"],
            pinned=bool(row["pinned"]),
        )

    def set(self, line: Line) -> None:
        self._sql.run(
            "set_pinned_line",
            chat_id=line.chat_id,
            message_id=line.message_id,
            text=line.text,
            pinned=line.pinned,
        )

    def forget(self) -> None:
        self._sql.run("forget_pinned_line")
