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
OPEN = """
SELECT (SELECT count(*) FROM inbox WHERE state = 'new')
     + (SELECT count(*) FROM contacts WHERE burst_due IS NOT NULL)
     + (SELECT count(*) FROM messages WHERE lead_id IS NULL)
     + (SELECT count(*) FROM runs WHERE finished_at IS NULL)
     + (SELECT count(*) FROM proposals
        WHERE state IN ('pending', 'revising', 'approved', 'executing', 'uncertain'))
     + (SELECT count(*) FROM cards WHERE dirty)
     + (SELECT count(*) FROM notes WHERE state IN ('new', 'sending'))
"""


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
        return self.values(OPEN) == [0]


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
