"""Migrations, one file a version, applied in order, each with its version in one transaction."""

import logging
import sqlite3
from importlib.resources import files
from pathlib import Path

from agent.errors import NewerDatabase, StorageError, UnreadableDatabase

log = logging.getLogger(__name__)

# "LEAD": marks the file as ours, so that no other program's database is ever migrated.
APPLICATION_ID = 0x4C454144


def scripts() -> list[tuple[int, str]]:
    """Version and SQL of every migration, in order."""
    found = [
        (int(file.name[:4]), file.read_text(encoding="utf-8"))
        for file in files("storage.migrations").iterdir()
        if file.name.endswith(".sql")
    ]
    return sorted(found)


def version(connection: sqlite3.Connection) -> int:
    """The schema's version in the file; 0 for an empty one."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, path: Path) -> list[int]:
    """Bring the file to the newest version; the versions applied.  A copy is kept beside it before.

    Raises NewerDatabase or UnreadableDatabase and changes nothing.
    """
    known, present = scripts(), version(connection)
    _check(connection, path, present, known[-1][0])
    pending = [(number, script) for number, script in known if number > present]
    if pending and present:
        backup = path.with_name(f"{path.name}.v{present}.bak")
        backup.unlink(missing_ok=True)
        connection.execute("VACUUM INTO ?", (str(backup),))
        backup.chmod(0o600)
        log.info("kept a copy of the database as %s", backup.name)
    for number, script in pending:
        _apply(connection, number, script)
        log.info("database migrated to version %d", number)
    return [number for number, _ in pending]


def check_current(connection: sqlite3.Connection, path: Path) -> None:
    """StorageError unless the file is ours and has the newest schema: for those that only read."""
    present, newest = version(connection), scripts()[-1][0]
    _check(connection, path, present, newest)
    if present < newest:
        raise StorageError(f"{path} has an older schema: run `lead-agent migrate`, or start the bot once")


def _check(connection: sqlite3.Connection, path: Path, present: int, newest: int) -> None:
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
    if mark != APPLICATION_ID and (mark or tables):
        raise UnreadableDatabase(f"{path} is another program's database: choose another DATABASE_URL")
    if present > newest:
        raise NewerDatabase(
            f"{path} was written by a newer lead-agent (schema {present}, this one knows {newest}): "
            "install that version again, or restore a backup made before"
        )


def _apply(connection: sqlite3.Connection, number: int, script: str) -> None:
    """sqlite3.executescript would commit first, so the script carries its own transaction."""
    try:
        connection.executescript(
            f"BEGIN IMMEDIATE;\n{script}\n"
            f"PRAGMA application_id = {APPLICATION_ID};\nPRAGMA user_version = {number};\nCOMMIT;"
        )
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
