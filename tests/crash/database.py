"""The bot's database from outside, with SQLite alone."""

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

# Whatever is still to be done, by anyone.
OPEN = {
    "inbox": "state = 'new'",
    "contacts": "burst_due IS NOT NULL",
    "messages": "lead_id IS NULL",
    "runs": "finished_at IS NULL",
    "proposals": "state IN ('pending', 'revising', 'approved', 'executing', 'uncertain')",
    "cards": "dirty",
    "notes": "state IN ('new', 'sending')",
}
COUNT_OPEN = "SELECT " + " + ".join(
    f"(SELECT count(*) FROM {table} WHERE {condition})" for table, condition in OPEN.items()
)


class Database:
    """Reads rows of the file; before the first migration there are none, whatever is asked for."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection is not None:
            self._connection.close()

    def rows(self, sql: str, *parameters: Any) -> list[sqlite3.Row]:
        try:
            if self._connection is None:
                self._connection = sqlite3.connect(
                    f"file:{self._path}?mode=ro", uri=True, isolation_level=None
                )
                self._connection.row_factory = sqlite3.Row
            return self._connection.execute(sql, parameters).fetchall()
        except sqlite3.OperationalError as error:
            if any(words in str(error) for words in ("no such table", "unable to open")):
                return []
            raise

    def values(self, sql: str, *parameters: Any) -> list[Any]:
        """The first column."""
        return [row[0] for row in self.rows(sql, *parameters)]

    def proposals(self, where: str, *parameters: Any) -> list[sqlite3.Row]:
        """Rows of proposals, by what their run's contact or they themselves are."""
        return self.rows(
            "SELECT proposals.* FROM proposals JOIN runs ON runs.id = run_id"
            f" JOIN contacts ON contacts.id = runs.contact_id WHERE {where} ORDER BY proposals.id",
            *parameters,
        )

    def decisions(self, proposal_id: int) -> list[sqlite3.Row]:
        """What people said of a proposal, in order."""
        return self.rows("SELECT * FROM decisions WHERE proposal_id = ? ORDER BY id", proposal_id)

    def told(self, run_id: int) -> str:
        """All words in the run's transcript, results too; data in it is JSON whose `<` is escaped."""
        fragments = self.values("SELECT fragment FROM transcript WHERE run_id = ? ORDER BY seq", run_id)
        blocks = [block for fragment in fragments for block in json.loads(fragment)["content"]]
        return "\n".join(block.get("text") or str(block.get("content", "")) for block in blocks).replace(
            "\\u003c", "<"
        )

    @property
    def settled(self) -> bool:
        """Whether nothing is left to be done."""
        return self.values(COUNT_OPEN) == [0]

    def open_rows(self) -> Iterator[str]:
        """What is left to be done, for whoever looks for the reason."""
        for table, condition in OPEN.items():
            for row in self.rows(f"SELECT * FROM {table} WHERE {condition}"):
                fields = zip(row.keys(), row, strict=True)
                yield f"open in {table}: " + ", ".join(f"{name}={value!r:.80}" for name, value in fields)


@contextmanager
def copied(path: Path) -> Iterator[Database]:
    """What a killed process left, read in a copy: who reads it recovers it, which is the bot's own to do."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        copy = Path(folder) / path.name
        for suffix in ("", "-wal"):
            file = path.with_name(path.name + suffix)
            if file.exists():
                shutil.copyfile(file, copy.with_name(file.name))
        with Database(copy) as database:
            yield database
