"""Rows of sources."""

from agent.sources import Source
from storage.sql import Row, Sql


def source_of(row: Row) -> Source:
    return Source(
        id=row["id"],
        name=row["name"],
        preset=row["preset"],
        token=row["token"],
        secret=row["secret"],
        created_at=row["created_at"],
    )


class Sources:
    """Who may post leads.  One that was removed stays as a row, for its leads."""

    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    def find(self, name: str) -> Source | None:
        row = self._sql.maybe("source", name=name)
        return source_of(row) if row else None

    def all(self) -> list[Source]:
        return [source_of(row) for row in self._sql.all("sources")]

    def add(self, name: str, preset: str, token: str, secret: str | None, at: int) -> Source | None:
        """None if there is one of that name."""
        row = self._sql.maybe("add_source", name=name, preset=preset, token=token, secret=secret, at=at)
        return source_of(row) if row else None

    def rotate(self, name: str, token: str) -> Source | None:
        """Give it another token; None if there is no such source."""
        row = self._sql.maybe("rotate_source", name=name, token=token)
        return source_of(row) if row else None

    def remove(self, name: str, at: int) -> bool:
        """Whether there was one of that name."""
        return self._sql.run("remove_source", name=name, at=at) > 0
