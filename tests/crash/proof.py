"""Trials by the hundred: the points of a story, a choice of them, and what came of each."""

import logging
import random
from collections.abc import Sequence
from dataclasses import dataclass

from tests.crash import truth
from tests.crash.database import copied
from tests.crash.serving import Starter
from tests.crash.story import Story
from tests.crash.trial import Abandoned, Trial, beginning

# Of the points between a start and the next kill, where a bot is killed again.
SECOND_KILLS = range(1, 90)

logging.getLogger("uvicorn.error").addFilter(Abandoned())


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A story of so many characters, and the points at which its processes are killed, one after another."""

    seed: int
    size: int
    points: tuple[int, ...] = ()

    def __str__(self) -> str:
        """How to try it again."""
        points = "".join(f" --point {point}" for point in self.points)
        return f"python -m tests.crash --seed {self.seed} --size {self.size}{points}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of an attempt: the words of the points of its kills and of its last process, the faults."""

    attempt: Attempt
    kills: list[str]
    points: list[str]
    faults: list[str]

    def __str__(self) -> str:
        killed = f"killed {', '.join(self.kills) or 'only at the end'}"
        return "\n  ".join([str(self.attempt), killed, *self.faults])


async def attempted(starter: Starter, attempt: Attempt) -> Outcome:
    """Tell the story, and look for what is not as it must be."""
    async with beginning(Story.of(attempt.seed, attempt.size)) as trial:
        faults = await _faults(starter, trial, attempt)
        return Outcome(attempt=attempt, kills=trial.kills, points=trial.points, faults=faults)


async def _faults(starter: Starter, trial: Trial, attempt: Attempt) -> list[str]:
    try:
        await trial.tell(starter, attempt.points)
    except (AssertionError, TimeoutError) as error:
        with copied(trial.path) as database:
            left = list(database.open_rows())
        log = trial.log.read_text() if trial.log.exists() else ""
        return [str(error), *left, *(f"log: {line}" for line in log.splitlines())]
    with copied(trial.path) as database:
        return truth.faults(trial, database)


async def undisturbed(starter: Starter, seed: int, size: int) -> Outcome:
    """The story without a kill; of two tellings, never quite the same, the one with fewer points."""
    outcomes = [await attempted(starter, Attempt(seed=seed, size=size)) for _ in range(2)]
    return min(outcomes, key=lambda outcome: (not outcome.faults, len(outcome.points)))


def spread(seed: int, size: int, points: int, count: int) -> list[Attempt]:
    """`count` attempts whose first kills are spread over the whole path; every third is killed again."""
    chance = random.Random(f"points {seed}")
    offset = chance.random()
    chosen = sorted({1 + int((number + offset) * points / count) for number in range(count)})
    return [
        Attempt(seed=seed, size=size, points=_points(chance, min(point, points), again=number % 3 == 2))
        for number, point in enumerate(chosen)
    ]


def _points(chance: random.Random, first: int, *, again: bool) -> tuple[int, ...]:
    return (first, chance.choice(SECOND_KILLS)) if again else (first,)


def summary(outcomes: Sequence[Outcome]) -> str:
    """N passed, M failed."""
    failed = sum(bool(outcome.faults) for outcome in outcomes)
    return f"{len(outcomes) - failed} passed, {failed} failed"
