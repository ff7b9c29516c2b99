"""CPU and leads per second: the engine against a bare loop, in short interleaved blocks."""

import gc
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

from tests.bench.figures import Figure, quartiles
from tests.bench.workload import Worked, bare, claude, engined, spread

_GOALS = {1: 1.0, 32: 0.7}


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One block: milliseconds of this process's CPU (all threads) per lead, and leads per second."""

    cpu: float
    rate: float


async def _block(work: Worked, leads: int, concurrency: int) -> Block:
    gc.collect()
    wall, cpu = perf_counter(), process_time()
    await spread(work, leads, concurrency)
    cpu, wall = process_time() - cpu, perf_counter() - wall
    return Block(cpu=cpu / leads * 1000, rate=leads / wall)


async def speed(url: str, folder: Path, *, quick: bool) -> list[Figure]:
    """Both loops in this process against the model's server at `url`, a pair of blocks at a time."""
    pairs, leads = (5, {1: 20, 32: 64}) if quick else (21, {1: 40, 32: 160})
    found: list[Figure] = []
    for concurrency, goal in _GOALS.items():
        # Clients of their own: the default transport's calls are dearer beside many idle connections.
        own = folder / str(concurrency)
        async with bare(url) as one, claude(url) as model, engined(own, model) as other:
            for work in (one.work, other.work):
                await spread(work, 64, concurrency)
            blocks: list[tuple[Block, Block]] = []
            for _ in range(pairs):
                first = await _block(one.work, leads[concurrency], concurrency)
                second = await _block(other.work, leads[concurrency], concurrency)
                blocks.append((first, second))
            found += _figures(blocks, concurrency, goal)
    return found


def _figures(blocks: list[tuple[Block, Block]], concurrency: int, goal: float) -> list[Figure]:
    low, middle, high = quartiles([engine.cpu / loop.cpu for loop, engine in blocks])
    at = f"at {concurrency}"
    return [
        Figure(name=f"bare loop, {at}", value=median(loop.rate for loop, _ in blocks), unit="leads/s"),
        Figure(name=f"engine, {at}", value=median(engine.rate for _, engine in blocks), unit="leads/s"),
        Figure(
            name=f"bare loop, CPU per lead, {at}", value=median(loop.cpu for loop, _ in blocks), unit="ms"
        ),
        Figure(name=f"engine, CPU per lead, {at}", value=median(each.cpu for _, each in blocks), unit="ms"),
        Figure(
            name=f"CPU, engine / bare loop, {at}",
            value=middle,
            unit="",
            goal=goal,
            note=f"quartiles {low:.2f} and {high:.2f} of {len(blocks)} pairs",
        ),
    ]
