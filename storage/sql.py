"""Named queries over one SQLite connection."""

import sqlite3
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

Row = sqlite3.Row


@cache
def queries() -> Mapping[str, str]:
    """Every query of storage/queries/*.sql by the name in its `-- name:` line."""
    found: dict[str, str] = {}
    for file in files("storage").joinpath("queries").iterdir():
        for part in file.read_text(encoding="utf-8").split("-- name: ")[1:]:
            name, _, text = part.partition("\n")
            assert name not in found, f"two queries are named {name}"
            found[name.strip()] = text.strip()
    return found


class Sql:
    """The connection port: a query's name and its parameters in, rows out."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._queries = queries()

    def run(self, query: str, /, **parameters: Any) -> int:
        """Run it; how many rows changed."""
        return self._connection.execute(self._queries[query], parameters).rowcount

    def all(self, query: str, /, **parameters: Any) -> list[Row]:
        """All of its rows."""
        return self._connection.execute(self._queries[query], parameters).fetchall()

    def maybe(self, query: str, /, **parameters: Any) -> Row | None:
        """Its first row, if there is one.  Everything is fetched, so that RETURNING has run to its end."""
        rows = self.all(query, **parameters)
        return rows[0] if rows else None

    def one(self, query: str, /, **parameters: Any) -> Row:
        """Its only row."""
        (row,) = self.all(query, **parameters)
        return row

    @property
    def in_transaction(self) -> bool:
        """False where SQLite itself has rolled back: whatever runs now would be stored on its own."""
        return self._connection.in_transaction

    def statement(self, text: str) -> None:
        """A statement that is no query: a savepoint."""
        self._connection.execute(text)
