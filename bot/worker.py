"""Runs what is queued, and does what is due by time alone.  Nothing polls: commits and one alarm wake it."""

import asyncio
import logging
from collections.abc import Callable

from agent.clock import Clock
from agent.engine import Engine
from agent.errors import Fenced, StorageError
from bot.ports import BotStore, BotTransaction, Commit
from bot.waking import woken

log = logging.getLogger(__name__)

AT_ONCE = 16
SECONDS_AFTER_A_FAULT = 2.0
DRAIN_SECONDS = 10.0


class Worker:
    """Advances queued runs, a bounded number at a time."""

    def __init__(
        self,
        *,
        store: BotStore,
        engine: Engine,
        close_bursts: Callable[[BotTransaction], None],
        release: Callable[[BotTransaction], int | None],
        remind: Callable[[BotTransaction], None],
        clock: Clock,
    ) -> None:
        """close_bursts, release: what is due by time among leads; the latter tells when something will be.

        remind: what is due by time among the people's decisions.
        """
        self._store = store
        self._engine = engine
        self._close_bursts = close_bursts
        self._release = release
        self._remind = remind
        self._clock = clock
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._again: set[int] = set()
        self._timed = asyncio.Event()
        store.subscribe(self._committed)

    def _committed(self, commit: Commit) -> None:
        for run_id in commit.queued:
            self._start(run_id)
        if commit.timed or commit.records:
            self._timed.set()

    def _start(self, run_id: int) -> None:
        if run_id in self._tasks:
            self._again.add(run_id)
            return
        task = asyncio.get_running_loop().create_task(self._advance(run_id))
        self._tasks[run_id] = task
        task.add_done_callback(lambda _: self._ended(run_id))

    def _ended(self, run_id: int) -> None:
        del self._tasks[run_id]
        if run_id in self._again:
            self._again.discard(run_id)
            self._start(run_id)

    async def _advance(self, run_id: int) -> None:
        async with self._slots:
            try:
                await self._engine.advance(run_id)
            except Fenced as error:
                log.warning("%s", error)
            except StorageError as error:
                log.error("run %d waits: %s", run_id, error)
                await self._give_back(run_id, str(error))
            except Exception as error:  # a bug in one run must not stop the others, nor lose the lead
                log.exception("run %d failed", run_id)
                await self._give_back(run_id, f"internal error ({type(error).__name__})")

    async def _give_back(self, run_id: int, reason: str) -> None:
        """Put the run back into the queue, for later; the engine gives up on one that keeps failing."""
        while True:
            try:
                await self._store.transaction(lambda tx: self._engine.stumble(tx, run_id, reason))
            except StorageError as error:
                log.error("run %d cannot be put back yet: %s", run_id, error)
                await asyncio.sleep(SECONDS_AFTER_A_FAULT)
            else:
                return

    async def run(self) -> None:
        """Until cancelled; then what is being sent is given time to end, and the rest is left to the rows."""
        try:
            while True:
                self._timed.clear()
                wait = await self._do_due()
                await woken(self._timed, wait)
        finally:
            await self._drain()

    async def _do_due(self) -> float | None:
        """Do what is due; seconds until something else is, None if nothing waits."""
        try:
            queued, later = await self._store.transaction(self._due, durable=False)
        except StorageError as error:
            log.error("nothing can be stored: %s", error)
            return SECONDS_AFTER_A_FAULT
        for run_id in queued:
            self._start(run_id)
        return None if later is None else max(0.0, (later - self._clock()) / 1000)

    def _due(self, tx: BotTransaction) -> tuple[list[int], int | None]:
        self._engine.approvals.expire(tx)
        self._engine.rules.end_overdue(tx)
        self._remind(tx)
        self._close_bursts(tx)
        released = self._release(tx)
        at = self._clock()
        times = (released, tx.alarms.next(at))
        return tx.alarms.queued(at), min((time for time in times if time is not None), default=None)

    async def _drain(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        await self._engine.drain(DRAIN_SECONDS)
