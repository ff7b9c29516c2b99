"""SQLite's and the system's errors, in words for the person who runs the bot."""

import errno
import sqlite3
from pathlib import Path

from agent.errors import RowRefused, StorageError, UnreadableDatabase, UnwritableStorage

_FULL = "the disk is full: free some space (what was acknowledged is stored; nothing is taken in meanwhile)"
_READ_ONLY = "the database cannot be written: check the rights of the file and folder, and the disk's mount"
_CORRUPT = "the database is damaged or is no SQLite file: restore the last backup (see deploy/README.md)"
_BUSY = "the database is locked by another program: close it (an SQLite browser, perhaps)"
_IO = "the disk gave an error: check it; what was acknowledged before is stored"
_RULE = "a row breaks a rule of the database, which is a fault of this program"

# Primary result codes, https://www.sqlite.org/rescode.html
_BY_CODE: dict[int, tuple[type[StorageError], str]] = {
    sqlite3.SQLITE_FULL: (UnwritableStorage, _FULL),
    sqlite3.SQLITE_READONLY: (UnwritableStorage, _READ_ONLY),
    sqlite3.SQLITE_CANTOPEN: (UnwritableStorage, _READ_ONLY),
    sqlite3.SQLITE_PERM: (UnwritableStorage, _READ_ONLY),
    sqlite3.SQLITE_IOERR: (UnwritableStorage, _IO),
    sqlite3.SQLITE_CORRUPT: (UnreadableDatabase, _CORRUPT),
    sqlite3.SQLITE_NOTADB: (UnreadableDatabase, _CORRUPT),
    sqlite3.SQLITE_BUSY: (StorageError, _BUSY),
    sqlite3.SQLITE_LOCKED: (StorageError, _BUSY),
    sqlite3.SQLITE_CONSTRAINT: (RowRefused, _RULE),
    sqlite3.SQLITE_MISMATCH: (RowRefused, _RULE),
    sqlite3.SQLITE_TOOBIG: (RowRefused, _RULE),
}

_BY_ERRNO = {errno.ENOSPC: _FULL, errno.EROFS: _READ_ONLY, errno.EACCES: _READ_ONLY, errno.EPERM: _READ_ONLY}


def translated(error: Exception, path: Path | None = None) -> StorageError:
    """Our error for SQLite's or the system's; `path` is named where it is known."""
    where = f"{path}: " if path else ""
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        kind, words = _BY_CODE.get(code, (StorageError, f"the database refused: {error}"))
        detail = f" ({error})" if kind is RowRefused else ""
        return kind(where + words + detail)
    if isinstance(error, FileNotFoundError):
        return UnwritableStorage(f"{where}there is no database yet; `lead-agent serve` makes it")
    number = error.errno if isinstance(error, OSError) else None
    return UnwritableStorage(where + _BY_ERRNO.get(number or 0, f"cannot be opened: {error}"))
