"""Commands that write while the bot serves.

Only one process may write the database, so a command asks the one that serves, over a unix socket beside the
database; where none serves it opens the database itself and does the same.  One JSON line each way:

    {"operation": "source.add", "request": {"name": "site", "preset": "tilda"}}
    {"result": {"name": "site", …}, "url": "http://127.0.0.1:8080"}
    {"error": {"kind": "SettingsError", "words": ["source add site: there is one of that name"]}}
"""

import asyncio
import json
import logging
import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from agent.errors import AlreadyRunning, LeadAgentError, NotFound, SettingsError, StorageError
from agent.jsontext import JsonObject, dumps
from bot.ports import BotStore, BotTransaction
from bot.settings import Settings
from storage.store import SqliteStore, open_reader

log = logging.getLogger(__name__)

LONGEST_LINE = 1_000_000
SECONDS_TO_ASK = 10.0
# Until a bot that is starting or stopping, or another command, has made way.
SECONDS_TO_WAIT = 10.0
SECONDS_TO_ANSWER = 60.0
# Of the socket's name: the whole address has to fit 108 bytes (unix(7)).
LONGEST_NAME = 80

_KINDS = {kind.__name__: kind for kind in (NotFound, StorageError)}


class Request(BaseModel):
    """What an operation is asked; its fields are what goes over the socket."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Asked(BaseModel):
    """One line from a command."""

    operation: str
    request: JsonObject


R = TypeVar("R", bound=Request)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(Generic[R]):
    """Something that a command does in one transaction, in whichever process.

    perform: raises LeadAgentError, in words for the person at the command line.  reads: it changes nothing.
    """

    name: str
    request: type[R]
    perform: Callable[[BotTransaction, R], JsonObject]
    reads: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Performed:
    """What an operation gave; url: where the bot's web server is, as far as it is known."""

    result: JsonObject
    url: str


def perform(settings: Settings, operation: Operation[R], request: R) -> Performed:
    """Have an operation done by the bot that serves, or do it here if none does."""
    deadline = monotonic() + SECONDS_TO_WAIT
    while True:
        answer = _asked(settings.database_path, operation.name, request)
        if answer is not None:
            return _performed(answer)
        try:
            return Performed(result=asyncio.run(_alone(settings, operation, request)), url=settings.web_url())
        except AlreadyRunning as error:
            if monotonic() > deadline:
                raise AlreadyRunning(
                    f"{settings.database_path} is in use by a lead-agent that takes no commands: "
                    "an older version perhaps, or one that is stopping; try again, or restart it"
                ) from error
        sleep(0.1)


async def _alone(settings: Settings, operation: Operation[R], request: R) -> JsonObject:
    if operation.reads:
        async with await open_reader(settings.database_path) as reader:
            return await reader.read(lambda tx: operation.perform(tx, request))
    async with SqliteStore(settings.database_path) as store:
        return await store.transaction(lambda tx: operation.perform(tx, request))


def _asked(database: Path, name: str, request: Request) -> JsonObject | None:
    """The answer of the bot that serves; None if there is none."""
    line = dumps({"operation": name, "request": request.model_dump(mode="json")})
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(SECONDS_TO_ANSWER)
        try:
            with _address(socket_of(database)) as address:
                connection.connect(address)
        except OSError:
            return None
        try:
            connection.sendall(line.encode() + b"\n")
            with connection.makefile("rb") as file:
                answer = json.loads(file.readline())
        except (OSError, ValueError) as error:
            raise StorageError(
                "the bot gave no answer: see whether it was done before you try again"
            ) from error
    return answer if isinstance(answer, dict) else None


def _performed(answer: JsonObject) -> Performed:
    if error := answer.get("error"):
        if error["kind"] == SettingsError.__name__:
            raise SettingsError(error["words"])
        raise _KINDS.get(error["kind"], LeadAgentError)("\n".join(error["words"]))
    return Performed(result=answer["result"], url=answer["url"])


def socket_of(database: Path) -> Path:
    """The socket beside a database."""
    path = database.resolve()
    name = f"{path.name}.sock"
    if len(os.fsencode(name)) > LONGEST_NAME:
        name = f"{sha256(os.fsencode(path.name)).hexdigest()[:32]}.sock"
    return path.with_name(name)


@contextmanager
def _address(path: Path) -> Iterator[str]:
    """A name of the socket that is short, however deep the folder is."""
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        short = Path(f"/proc/self/fd/{folder}")
        yield str((short if short.exists() else path.parent) / path.name)
    finally:
        os.close(folder)


class Control:
    """The side of the bot that serves: does what commands ask for, one transaction each."""

    def __init__(
        self, *, store: BotStore, operations: Sequence[Operation[Any]], database: Path, url: Callable[[], str]
    ) -> None:
        self._store = store
        self._operations = {operation.name: operation for operation in operations}
        self._path = socket_of(database)
        self._url = url

    async def run(self) -> None:
        """Until cancelled.  Without a socket the bot serves all the same."""
        try:
            listener = self._listen()
        except OSError as error:
            log.error("commands cannot reach this bot: %s: %s", self._path, error.strerror or error)
            await asyncio.Event().wait()
            return
        server = await asyncio.start_unix_server(self._on_connection, sock=listener, limit=LONGEST_LINE)
        try:
            async with server:
                await server.serve_forever()
        finally:
            self._path.unlink(missing_ok=True)

    def _listen(self) -> socket.socket:
        """The lock on the database is ours: a socket that is there was left by a bot that was killed."""
        self._path.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX)
        others_may_not = os.umask(0o177)
        try:
            with _address(self._path) as address:
                listener.bind(address)
        except BaseException:
            listener.close()
            raise
        finally:
            os.umask(others_may_not)
        return listener

    async def _on_connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(SECONDS_TO_ASK):
                line = await reader.readline()
            if not line:
                return
            writer.write(dumps(await self._answer(line)).encode() + b"\n")
            await writer.drain()
        except (OSError, TimeoutError, ValueError):
            log.warning("a command went away, or asked for too much")
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

    async def _answer(self, line: bytes) -> JsonObject:
        try:
            return {"result": await self._perform(line), "url": self._url()}
        except SettingsError as error:
            return _error(SettingsError.__name__, error.faults)
        except LeadAgentError as error:
            kind = next((name for name, kind in _KINDS.items() if isinstance(error, kind)), "")
            return _error(kind, [str(error)])
        except Exception as error:  # a bug in one operation must not end the bot
            log.exception("a command failed")
            return _error("", [f"internal error ({type(error).__name__}): see the bot's log"])

    async def _perform(self, line: bytes) -> JsonObject:
        try:
            asked = Asked.model_validate_json(line)
            operation = self._operations[asked.operation]
            request = operation.request.model_validate(asked.request)
        except (ValidationError, KeyError) as error:
            raise LeadAgentError(
                "the bot that serves is of another version than this command: restart it"
            ) from error
        if operation.reads:
            return await self._store.read(lambda tx: operation.perform(tx, request))
        return await self._store.transaction(lambda tx: operation.perform(tx, request))


def _error(kind: str, words: list[str]) -> JsonObject:
    return {"error": {"kind": kind, "words": words}}
