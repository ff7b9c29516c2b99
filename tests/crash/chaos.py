"""The long proof: forked bots killed at points, and the real `lead-agent serve` killed at moments."""

import asyncio
import os
import random
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack
from multiprocessing import get_context

from tests.crash.proof import Attempt, Outcome, attempted, spread, summary, undisturbed
from tests.crash.serving import ConsoleScript, Zygote, zygote

SEEDS = range(100, 105)
CHARACTERS = 4
POINTS_PER_SEED = 220
# Trials of the real console script, each killed twice within so many milliseconds of its start.
SCRIPT_SEEDS = range(200, 224)
SCRIPT_KILLS = (500, 1_700)

_lasting = ExitStack()
_zygotes: list[Zygote] = []
Job = Callable[[Attempt], Outcome]


def _open_zygote() -> None:
    """Once in every worker; it ends with the worker, whose pipe it reads."""
    _zygotes.append(_lasting.enter_context(zygote()))


def _forked(attempt: Attempt) -> Outcome:
    return asyncio.run(attempted(_zygotes[0], attempt))


def _scripted(attempt: Attempt) -> Outcome:
    return asyncio.run(attempted(ConsoleScript(), attempt))


def _whole(seed: int) -> Outcome:
    return asyncio.run(undisturbed(_zygotes[0], seed, CHARACTERS))


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def _pool() -> ProcessPoolExecutor:
    return ProcessPoolExecutor(
        max_workers=os.cpu_count() or 1, mp_context=get_context("spawn"), initializer=_open_zygote
    )


def _all(pool: ProcessPoolExecutor, job: Job, attempts: Iterable[Attempt]) -> list[Outcome]:
    outcomes = []
    futures = [pool.submit(job, attempt) for attempt in attempts]
    for future in as_completed(futures):
        outcome = future.result()
        outcomes.append(outcome)
        if outcome.faults:
            say(str(outcome))
        if len(outcomes) % 100 == 0:
            say(f"{len(outcomes)} of {len(futures)}: {summary(outcomes)}")
    return outcomes


def _scripts() -> list[Attempt]:
    chance = random.Random("scripts")
    return [
        Attempt(
            seed=seed, size=CHARACTERS, points=(chance.randint(*SCRIPT_KILLS), chance.randint(*SCRIPT_KILLS))
        )
        for seed in SCRIPT_SEEDS
    ]


def chaos() -> int:
    """Everything; 1 if any trial failed."""
    with _pool() as pool:
        whole = list(pool.map(_whole, SEEDS))
        attempts = [
            attempt
            for outcome in whole
            for attempt in spread(outcome.attempt.seed, CHARACTERS, len(outcome.points), POINTS_PER_SEED)
        ]
        say(f"killing forked bots at {len(attempts)} points of {len(whole)} stories")
        outcomes = [*whole, *_all(pool, _forked, attempts)]
        say(f"killing `lead-agent serve` itself, twice in each of {len(SCRIPT_SEEDS)} stories")
        outcomes += _all(pool, _scripted, _scripts())
    killed = sum(bool(outcome.kills) for outcome in outcomes)
    for outcome in outcomes:
        if outcome.faults:  # once more where the end of a long output is all that is kept
            say(str(outcome))
    say(f"{summary(outcomes)} ({killed} of them killed before the end)")
    return int(any(outcome.faults for outcome in outcomes))
