"""Opening a database: made with care, ours alone, and never somebody else's."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from agent.errors import AlreadyRunning, NewerDatabase, StorageError, UnreadableDatabase, UnwritableStorage
from storage.migrations import APPLICATION_ID, scripts
from storage.store import SqliteStore

OPEN = """
import asyncio, sys
from pathlib import Path
from agent.errors import StorageError
from storage.store import SqliteStore

async def main():
    async with SqliteStore(Path(sys.argv[1])):
        print("opened")

try:
    asyncio.run(main())
except StorageError as error:
    sys.exit(f"{type(error).__name__}: {error}")
"""


def pragma(path: Path, name: str) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def elsewhere(path: Path) -> tuple[int, str]:
    """Open it in another process: its exit code, and what it said."""
    command = [sys.executable, "-c", OPEN, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, (done.stdout + done.stderr).strip()


async def opened(path: Path) -> None:
    async with SqliteStore(path):
        pass


async def test_folder_and_file_are_made_for_their_owner_only(path: Path) -> None:
    """People's words are in it: nobody else may read the database, its log or its lock."""
    async with SqliteStore(path):
        modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
    assert modes == dict.fromkeys(
        ["lead-agent.db", "lead-agent.db-wal", "lead-agent.db-shm", "lead-agent.db.lock"], 0o600
    )


async def test_the_file_is_marked_as_ours_and_at_the_newest_version(path: Path) -> None:
    """From nothing to the present schema, in WAL mode, and nothing is left beside it but the lock."""
    await opened(path)
    assert pragma(path, "application_id") == APPLICATION_ID
    assert pragma(path, "user_version") == scripts()[-1][0]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


async def test_a_second_process_is_refused_in_clear_words(path: Path) -> None:
    """Two bots on one file would answer every lead twice: the second one is told, and the first goes on."""
    async with SqliteStore(path) as store:
        assert elsewhere(path) == (
            1,
            f"AlreadyRunning: {path} is in use: another lead-agent works on it; stop that one first",
        )
        await store.transaction(lambda tx: tx.alarms.queued(0))
    assert elsewhere(path) == (0, "opened")


async def test_the_lock_is_given_back_when_opening_fails(path: Path) -> None:
    """A refusal holds nothing: once the reason is gone, the same process can open the file."""
    await opened(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    store = SqliteStore(path)
    for _ in range(2):
        with pytest.raises(NewerDatabase):
            await store.open()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {scripts()[-1][0]}")
    async with store:
        with pytest.raises(AlreadyRunning):
            await opened(path)


async def test_a_newer_database_is_refused_and_left_alone(path: Path) -> None:
    """An older program does not touch what it may not understand, and says which versions they are."""
    await opened(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(NewerDatabase, match=r"schema 99, this one knows \d+"):
        await opened(path)
    assert pragma(path, "user_version") == 99


@pytest.mark.parametrize("statement", ["CREATE TABLE notes (text)", "PRAGMA application_id = 7"])
async def test_another_programs_database_is_refused_and_left_alone(path: Path, statement: str) -> None:
    """A wrong path in the settings ruins nobody's data."""
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
    before = pragma(path, "user_version"), pragma(path, "application_id")
    with pytest.raises(UnreadableDatabase, match="another program's database"):
        await opened(path)
    assert (pragma(path, "user_version"), pragma(path, "application_id")) == before
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_schema WHERE name = 'runs'").fetchall() == []


async def test_an_empty_file_is_as_good_as_none(path: Path) -> None:
    """A file that was only touched becomes a database."""
    path.parent.mkdir()
    sqlite3.connect(path).close()  # makes an empty file
    await opened(path)
    assert pragma(path, "application_id") == APPLICATION_ID


async def test_a_path_that_cannot_hold_a_file_is_told(tmp_path: Path) -> None:
    """A folder in its place, or a file in the place of its folder."""
    with pytest.raises(UnwritableStorage, match=str(tmp_path)):
        await opened(tmp_path)
    await opened(tmp_path / "file")
    with pytest.raises(UnwritableStorage, match="file"):
        await opened(tmp_path / "file" / "lead-agent.db")


async def test_a_file_that_another_program_locks_is_told(path: Path) -> None:
    """An SQLite browser in the middle of a change: clear words, and everything goes on afterwards."""
    async with SqliteStore(path) as store:
        writer = store._writer
        assert writer is not None
        await writer.hop(lambda: writer._conn.execute("PRAGMA busy_timeout = 1"))
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(StorageError, match="locked by another program"):
                await store.transaction(lambda tx: tx.alarms.queued(0))
        assert await store.transaction(lambda tx: tx.alarms.queued(0)) == []


async def test_a_link_is_no_second_file(path: Path) -> None:
    """One database has one lock, whatever names lead to it."""
    link = path.with_name("link.db")
    async with SqliteStore(path):
        link.symlink_to(path)
        with pytest.raises(AlreadyRunning):
            await SqliteStore(link).open()


async def test_an_old_file_is_closed_to_others(path: Path) -> None:
    """A database that was readable by everybody no longer is, once it was opened."""
    async with SqliteStore(path):
        os.chmod(path, 0o644)  # noqa: PTH101  (no slower than any other call here)
    async with SqliteStore(path):
        assert os.stat(path).st_mode & 0o777 == 0o600  # noqa: PTH116
