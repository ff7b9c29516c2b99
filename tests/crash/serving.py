"""The harness's side of tests.crash.child: start a serving process, follow its points, end it."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Protocol

LEAD_AGENT = Path(sys.executable).with_name("lead-agent")
TICK_SECONDS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What a child is to do: serve with these settings, and get the signal at a point, if one is named.

    `point` counts from 1; `words` name the first point with those words.  `locked` is false where the child
    must not be stopped by the lock of the database.
    """

    settings: Mapping[str, str]
    log: str
    point: int | None = None
    words: str | None = None
    signal: int = signal.SIGKILL
    locked: bool = True


@dataclass(slots=True)
class Process:
    """A serving process: its points so far, and once it has ended its exit code, or minus the signal."""

    pid: int = 0
    points: list[str] = field(default_factory=list)
    exit_code: int | None = None

    @property
    def ended(self) -> bool:
        return self.exit_code is not None

    @property
    def killed(self) -> bool:
        return self.exit_code == -signal.SIGKILL

    def take(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        match word:
            case "pid":
                self.pid = int(rest)
            case "point":
                self.points.append(rest.partition(" ")[2])
            case "ended":
                self.exit_code = int(rest)

    def kill(self) -> None:
        if not self.ended:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def wake(self) -> None:
        """End the stop of a stopped process."""
        os.kill(self.pid, signal.SIGCONT)


class Starter(Protocol):
    """Starts serving processes, one at a time."""

    def serving(self, order: Order, changed: Callable[[], None]) -> AbstractAsyncContextManager[Process]:
        """A serving process, killed with the block; `changed` is called when it may have got further."""


class ConsoleScript:
    """A starter of the real `lead-agent serve`; an order's point is in milliseconds after its start."""

    @asynccontextmanager
    async def serving(self, order: Order, changed: Callable[[], None]) -> AsyncIterator[Process]:
        loop, process = asyncio.get_running_loop(), Process()
        log = os.open(order.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            started = await asyncio.create_subprocess_exec(
                LEAD_AGENT, "serve", env=dict(order.settings), cwd=Path(order.log).parent, stderr=log
            )
        finally:
            os.close(log)
        process.pid = started.pid
        if order.point is not None:
            loop.call_later(order.point / 1000, process.kill)

        async def follow() -> None:
            process.exit_code = await started.wait()
            changed()

        async def tick() -> None:  # unlike a forked child, the script does not tell of its commits
            while True:
                await asyncio.sleep(TICK_SECONDS)
                changed()

        following, ticking = asyncio.create_task(follow()), asyncio.create_task(tick())
        try:
            yield process
        finally:
            ticking.cancel()
            process.kill()
            await following


class Zygote:
    """A starter that forks its processes from one that has everything imported."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._orders = process.stdin
        self._lines = process.stdout
        self._rest = b""

    @asynccontextmanager
    async def serving(self, order: Order, changed: Callable[[], None]) -> AsyncIterator[Process]:
        """A serving process, killed with the block; `changed` is called with everything it tells."""
        process, begun, ended = Process(), asyncio.Event(), asyncio.Event()

        def read() -> None:
            for line in self._read():
                process.take(line)
            if process.pid:
                begun.set()
            if process.ended:
                loop.remove_reader(self._lines)
                ended.set()
            changed()

        loop = asyncio.get_running_loop()
        loop.add_reader(self._lines, read)
        self._orders.write(json.dumps(asdict(order)).encode() + b"\n")
        self._orders.flush()
        await begun.wait()
        try:
            yield process
        finally:
            process.kill()
            await ended.wait()

    def _read(self) -> list[str]:
        received = os.read(self._lines.fileno(), 65_536)
        assert received, "the zygote ended"
        *lines, self._rest = (self._rest + received).split(b"\n")
        return [line.decode() for line in lines]


@contextmanager
def zygote() -> Iterator[Zygote]:
    """A zygote, ended with the block."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.crash.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        env={},  # no settings of this machine
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        try:
            yield Zygote(process)
        finally:
            process.stdin.close()
