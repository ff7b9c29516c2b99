"""How fast an approval reaches the channel, and what a paused run costs while it waits."""

import asyncio
import gc
import resource
from pathlib import Path
from statistics import quantiles
from time import perf_counter, process_time

from agent.jsontext import JsonObject
from agent.limits import Usage
from agent.ports import Reply
from agent.runs import Run, Spec
from storage.commit import Commit
from tests.bench.figures import Figure
from tests.bench.workload import TURNS, Engined, engined, spread

_IDLE_SECONDS = 2.0


class Inside:
    """The workload's model without HTTP: what is left is the engine and the store."""

    async def reply(self, spec: Spec, messages: list[JsonObject], *, max_tokens: int) -> Reply:
        turn = TURNS[sum(message["role"] == "assistant" for message in messages)]
        return Reply(
            content=turn["content"], stop_reason=turn["stop_reason"], usage=Usage(input=1800, output=120)
        )


class Woken:
    """A worker as the bot has one: every commit that queues a run starts it."""

    def __init__(self, engine: Engined) -> None:
        self.engine = engine
        self._tasks: dict[int, asyncio.Task[Run | None]] = {}
        engine.store.subscribe(self._wake)

    def _wake(self, commit: Commit) -> None:
        for id in commit.queued:
            self._tasks[id] = asyncio.create_task(self.engine.engine.advance(id))

    async def approved(self) -> float:
        """Milliseconds from a press to the channel, for a lead of its own."""
        id = await self.engine.take_in()
        await self._tasks.pop(id)
        began = perf_counter()
        await self.engine.approve(id)
        await self._tasks.pop(id)
        return (self.engine.outbox.called[-1] - began) * 1000


async def latency(folder: Path, *, quick: bool) -> list[Figure]:
    """From the transaction of a press to the call of the channel; nothing polls in between."""
    async with engined(folder, Inside()) as engine:
        woken = Woken(engine)
        spans = [await woken.approved() for _ in range(100 if quick else 500)]
    percentiles = quantiles(spans, n=100, method="inclusive")
    return [
        Figure(name="approve to channel called, p50", value=percentiles[49], unit="ms"),
        Figure(name="approve to channel called, p95", value=percentiles[94], unit="ms", goal=3.0),
    ]


async def paused(folder: Path, *, quick: bool) -> list[Figure]:
    """Memory and idle CPU of runs that wait for people."""
    few, many = (500, 2_000) if quick else (2_000, 10_000)
    async with engined(folder, Inside()) as engine:

        async def pause() -> None:
            await engine.pause()

        await spread(pause, few, 32)
        before = _resident()
        await spread(pause, many - few, 32)
        after = _resident()
        cpu = process_time()
        await asyncio.sleep(_IDLE_SECONDS)
        idle = (process_time() - cpu) / _IDLE_SECONDS * 100
    each = None if before is None or after is None else (after - before) / (many - few)
    return [
        Figure(name=f"memory of a paused run, {few:,} to {many:,}", value=each, unit="KB", goal=0.5),
        Figure(name=f"CPU while {many:,} runs are paused", value=idle, unit="%"),
    ]


def _resident() -> float | None:
    """This process's resident set in KB, where the system tells it."""
    gc.collect()
    statm = Path("/proc/self/statm")
    if not statm.exists():
        return None
    return int(statm.read_text().split()[1]) * resource.getpagesize() / 1024
