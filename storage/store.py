"""The database file: opened by one process, written by one connection, a transaction in one hop."""

import asyncio
import fcntl
import logging
import os
import sqlite3
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self, TypeVar

import aiosqlite

from agent.errors import AlreadyRunning, StorageError, UnreadableDatabase
from storage.commit import Commit
from storage.faults import translated
from storage.migrations import check_current, migrate
from storage.sql import Sql
from storage.transaction import SqliteTransaction

log = logging.getLogger(__name__)
T = TypeVar("T")
Observer = Callable[[Commit], None]


@dataclass(slots=True)
class _Waiting:
    """A transaction that waits for its turn and its commit, and what came of it."""

    function: Callable[[SqliteTransaction], Any]
    durable: bool
    future: asyncio.Future[Any]
    commit: Commit | None = None
    result: Any = None
    error: BaseException | None = None


def _tell(batch: list[_Waiting]) -> None:
    """Let the tasks of a batch go on, each with its own result or fault."""
    for waiting in batch:
        if waiting.future.done():  # its task was cancelled
            continue
        if waiting.error is None:
            waiting.future.set_result(waiting.result)
        else:
            waiting.future.set_exception(_ours(waiting.error))


def _ours(error: BaseException) -> BaseException:
    if not isinstance(error, sqlite3.Error):
        return error
    fault = translated(error)
    fault.__cause__ = error
    return fault


class _Connection(aiosqlite.Connection):
    """An aiosqlite connection that runs a whole transaction in its thread at once."""

    path: Path | None = None

    def prepare(self) -> None:
        """Once, in the thread, after opening."""
        self.transaction = SqliteTransaction(Sql(self._conn))
        self._conn.row_factory = sqlite3.Row
        self.durable = True
        self.waiting: deque[_Waiting] = deque()
        self.written: Callable[[list[_Waiting]], None] = _tell

    def submit(self, waiting: "_Waiting") -> None:
        """Have it written, together with whatever else waits by then."""
        if not self._running or self._connection is None:
            raise StorageError("the database is closed")
        self.waiting.append(waiting)
        self._tx.put_nowait((None, self._write))

    def _write(self) -> None:
        """Runs in the thread: all that waits, in one BEGIN IMMEDIATE and COMMIT, so with one sync."""
        batch: list[_Waiting] = []
        while self.waiting:
            batch.append(self.waiting.popleft())
        if not batch:  # an earlier call took it along
            return
        try:
            self._set_durable(any(waiting.durable for waiting in batch))
            self._conn.execute("BEGIN IMMEDIATE")
            for waiting in batch:
                self._run(waiting, alone=len(batch) == 1)
            self._conn.execute("COMMIT")
        except BaseException as error:  # nothing of the batch is stored
            with suppress(sqlite3.Error):
                self._conn.execute("ROLLBACK")
            self.transaction.forget()
            for waiting in batch:
                waiting.error = waiting.error or error
        batch[0].future.get_loop().call_soon_threadsafe(self.written, batch)

    def _set_durable(self, durable: bool) -> None:
        if durable is not self.durable:  # may not change inside a transaction
            self._conn.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            self.durable = durable

    def _run(self, waiting: "_Waiting", *, alone: bool) -> None:
        """One function of a batch: its fault undoes what it wrote itself and nothing else."""
        waiting.commit = self.transaction.wakes.fresh()
        if alone:
            waiting.result = waiting.function(self.transaction)
            return
        self._conn.execute("SAVEPOINT one")
        try:
            waiting.result = waiting.function(self.transaction)
        except Exception as error:
            if not self._conn.in_transaction:  # the disk's fault: SQLite has undone everybody's
                raise
            self._conn.execute("ROLLBACK TO one")
            self.transaction.forget()
            waiting.error = error
        self._conn.execute("RELEASE one")

    def read(self, function: Callable[[SqliteTransaction], T]) -> T:
        """Runs in the thread: one snapshot, nothing written (the connection is query_only)."""
        self.transaction.forget()  # another connection may have turned it
        self._conn.execute("BEGIN")
        try:
            return function(self.transaction)
        finally:
            with suppress(sqlite3.Error):
                self._conn.execute("ROLLBACK")

    async def hop(self, function: Callable[[], T]) -> T:
        """Run in the thread; sqlite3's errors come back as ours."""
        try:
            result: T = await self._execute(function)  # type: ignore[no-untyped-call]
        except sqlite3.Error as error:
            raise translated(error, self.path) from error
        return result


class SqliteStore:
    """See agent.ports.Store.  `open` and `close` it, or use `async with`."""

    def __init__(self, path: Path) -> None:
        self._path = path.resolve()  # one file, one lock, whatever it is called
        self._observers: list[Observer] = []
        self._lock: int | None = None
        self._writer: _Connection | None = None
        self._reader: _Connection | None = None

    async def __aenter__(self) -> Self:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def subscribe(self, observer: Observer) -> None:
        """Call `observer` on the event loop after every commit that changed something others wait for."""
        self._observers.append(observer)

    async def open(self) -> None:
        """Take the file for this process, bring it to the present schema, recover what was in flight.

        Raises StorageError, in words for the person who runs the bot.
        """
        try:
            self._take()
            self._writer = await _opened(self._path, _WRITER)
            await self._writer.hop(partial(migrate, self._writer._conn, self._path))
            self._writer.written = self._written
            self._reader = await _opened(self._path, _READER)
        except BaseException:
            await self.close()
            raise
        await self.transaction(SqliteTransaction.recover)

    def _take(self) -> None:
        """The file exists, is ours alone to read (0600), and no other process works on it."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            database = os.open(self._path, os.O_CREAT | os.O_RDWR, 0o600)
            os.fchmod(database, 0o600)  # one that was there may have been open to others
            os.close(database)
            lock = os.open(f"{self._path}.lock", os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise translated(error, self._path) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(lock)
            raise AlreadyRunning(
                f"{self._path} is in use: another lead-agent works on it; stop that one first"
            ) from error
        self._lock = lock

    async def close(self) -> None:
        """Readers first, so that the writer does the last checkpoint."""
        for connection in (self._reader, self._writer):
            if connection is not None:
                await connection.close()
        self._reader = self._writer = None
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    async def transaction(self, function: Callable[[SqliteTransaction], T], *, durable: bool = True) -> T:
        """See agent.ports.Store.transaction."""
        assert self._writer is not None, "the store is not open"
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._writer.submit(_Waiting(function, durable, future))
        return await future

    async def read(self, function: Callable[[SqliteTransaction], T]) -> T:
        """Run `function` on the last committed state, beside the writer."""
        assert self._reader is not None, "the store is not open"
        return await self._reader.hop(partial(self._reader.read, function))

    def _written(self, batch: "list[_Waiting]") -> None:
        """On the event loop, after the commit: the observers still come before any task that waited."""
        _tell(batch)
        for waiting in batch:
            if waiting.commit is None or waiting.error is not None:
                continue
            for call in waiting.commit.calls:
                call()
            if waiting.commit:
                for observer in self._observers:
                    observer(waiting.commit)


_WRITER = ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON")
_READER = ("PRAGMA query_only = ON", "PRAGMA wal_autocheckpoint = 0")


async def _opened(path: Path, pragmas: tuple[str, ...]) -> _Connection:
    connection = _Connection(
        lambda: sqlite3.connect(path, isolation_level=None, cached_statements=256, timeout=10), 64
    )
    connection.path = path
    connection._thread.daemon = True
    try:
        await connection
        for pragma in pragmas:
            await connection.hop(partial(connection._conn.execute, pragma))
        await connection.hop(connection.prepare)
    except sqlite3.Error as error:
        await connection.close()
        raise translated(error, path) from error
    except BaseException:
        await connection.close()
        raise
    return connection


async def open_reader(path: Path) -> "Reader":
    """For commands beside a running bot: reads only, takes no lock, makes no file."""
    await asyncio.to_thread(_must_exist, path)
    connection = await _opened(path, _READER)
    try:
        await connection.hop(partial(check_current, connection._conn, path))
    except BaseException:
        await connection.close()
        raise
    return Reader(connection)


def _must_exist(path: Path) -> None:
    try:
        path.stat()
    except OSError as error:
        raise translated(error, path) from error


class Reader:
    """A store that only reads."""

    def __init__(self, connection: _Connection) -> None:
        self._connection = connection

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._connection.close()

    async def read(self, function: Callable[[SqliteTransaction], T]) -> T:
        return await self._connection.hop(partial(self._connection.read, function))

    async def check(self) -> None:
        """Read the whole file; UnreadableDatabase if it is damaged."""
        connection = self._connection
        rows = await connection.hop(lambda: connection._conn.execute("PRAGMA quick_check").fetchall())
        if rows[0][0] != "ok":
            raise UnreadableDatabase(f"the database is damaged: {rows[0][0]}")
