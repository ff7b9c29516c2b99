"""Serving processes that end themselves at a given point; forked from one that has imported everything.

A point is the moment before or after a commit or an outgoing call.  All of it is put around the product from
outside: SQLite's own connection class, the Bot API client's `do_request`, the model's `reply`.  "After" a
call means that the server has handled it, and that nobody here will ever learn of it.

Orders come as lines of JSON on stdin.  Lines of text on stdout tell of the child: `pid`, each point, `ended`.
"""

import gc
import importlib
import json
import os
import signal
import sqlite3
import ssl
import sys
import threading
from collections.abc import Callable
from contextlib import nullcontext
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anthropic  # noqa: F401  (imported once here, not in every child)
from telegram.request import HTTPXRequest, RequestData

import bot.app  # noqa: F401
from agent.claude import Claude
from agent.jsontext import JsonObject
from agent.ports import Reply
from agent.runs import Spec
from bot import limiter
from bot.serve import serve
from storage.sql import queries
from storage.store import SqliteStore

NO_PACE = 1_000_000
# What the libraries import when they are first used.
LATE_IMPORTS = (
    "anyio._backends._asyncio",
    "certifi",
    "httpcore",
    "importlib.readers",
    "uvicorn.lifespan.off",
    "uvicorn.protocols.http.auto",
    "uvicorn.protocols.websockets.auto",
)


class Points:
    """Counts the points of one process, tells each, and raises the signal at the one that was ordered.

    The order names a point by its number or by its words.
    """

    def __init__(self, *, number: int | None, words: str | None, signal_number: int) -> None:
        self._number = number
        self._words = words
        self._signal = signal_number
        self._numbers = count(1)
        self._lock = threading.Lock()  # commits are made in the store's thread
        self.writing = threading.RLock()  # held while a transaction is open

    def reach(self, words: str) -> None:
        with self._lock:
            number = next(self._numbers)
            _tell(f"point {number} {words}")
            if number != self._number and words != self._words:
                return
            self._words = None
        # A process frozen in the middle of another transaction would keep its successor from writing.
        with self.writing if self._signal == signal.SIGSTOP else nullcontext():
            os.kill(os.getpid(), self._signal)


def _tell(line: str) -> None:
    os.write(1, f"{line}\n".encode())  # one write, so that it is told even if the next moment is the last


def _watch_commits(points: Points) -> None:
    class Connection(sqlite3.Connection):
        holds = False

        def execute(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
            if sql == "COMMIT":
                points.reach("before a commit")
            cursor = self._guarded(sql, *parameters)
            if sql == "COMMIT":
                points.reach("after a commit")
            return cursor

        def _guarded(self, sql: str, *parameters: Any) -> sqlite3.Cursor:
            """Execute, holding `writing` from the beginning of a transaction to its end."""
            if sql == "BEGIN IMMEDIATE":
                points.writing.acquire()
                self.holds = True
            try:
                return super().execute(sql, *parameters)
            finally:
                if self.holds and not self.in_transaction:
                    self.holds = False
                    points.writing.release()

        def executescript(self, script: str) -> sqlite3.Cursor:
            points.reach("before the migration")
            cursor = super().executescript(script)
            points.reach("after the migration")
            return cursor

    sqlite3.connect = partial(sqlite3.connect, factory=Connection)  # type: ignore[assignment]


def _watch_telegram(points: Points) -> None:
    plain = HTTPXRequest.do_request

    async def do_request(
        self: HTTPXRequest, url: str, method: str, request_data: RequestData | None = None, **timeouts: Any
    ) -> tuple[int, bytes]:
        name = urlsplit(url).path.rpartition("/")[2]
        chat = request_data.parameters.get("chat_id") if request_data else None
        words = name if chat is None else f"{name} to {chat}"
        points.reach(f"before {words}")
        answer = await plain(self, url, method, request_data, **timeouts)
        points.reach(f"after {words}")
        return answer

    HTTPXRequest.do_request = do_request  # type: ignore[method-assign,assignment]


def _watch_model(points: Points) -> None:
    plain = Claude.reply

    async def reply(self: Claude, spec: Spec, messages: list[JsonObject], *, max_tokens: int) -> Reply:
        points.reach("before a call of the model")
        answer = await plain(self, spec, messages, max_tokens=max_tokens)
        points.reach("after a call of the model")
        return answer

    Claude.reply = reply  # type: ignore[method-assign]


def _end_with(harness: int) -> None:
    """The pipe of orders ends when the harness does; nothing is written to it while a child lives."""
    os.read(harness, 1)
    os._exit(1)


def _serve(order: JsonObject) -> int:
    _tell(f"pid {os.getpid()}")
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 2)
    threading.Thread(target=_end_with, args=(0,), daemon=True).start()
    os.chdir(Path(order["log"]).parent)  # where no .env is
    os.environ.update(order["settings"])
    points = Points(number=order["point"], words=order["words"], signal_number=order["signal"])
    watches: tuple[Callable[[Points], None], ...] = (_watch_commits, _watch_telegram, _watch_model)
    for watch in watches:
        watch(points)
    if not order["locked"]:
        SqliteStore._take = lambda self: None  # type: ignore[method-assign]
    return serve()


def _forked(order: JsonObject) -> int:
    """The exit code of a child that served; minus the signal that ended it."""
    pid = os.fork()
    if not pid:
        try:
            os._exit(_serve(order))
        except BaseException as error:
            sys.stderr.write(f"{error}\n")
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def main() -> None:
    # No TLS is spoken here, and reading its authorities would be half of a child's start.
    ssl.SSLContext.load_verify_locations = lambda *_, **__: None  # type: ignore[method-assign]
    # Telegram's pace is tried elsewhere; a trial that waited for it would only be slow.
    limiter.OVERALL_PER_SECOND = NO_PACE
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for module in LATE_IMPORTS:
        importlib.import_module(module)
    queries()
    gc.collect()
    gc.freeze()
    _tell("ready")
    while line := sys.stdin.readline():
        _tell(f"ended {_forked(json.loads(line))}")


if __name__ == "__main__":
    main()
