"""`kill -9` at any point: no lead lost, nothing sent unapproved, nothing sent twice, every card true."""

import pytest

from tests.crash.proof import attempted, spread, undisturbed
from tests.crash.serving import Zygote

SEEDS = range(8)
CHARACTERS = 2
POINTS_PER_SEED = 28
# No two tellings are alike: some end before a point that an earlier one had.  200 points in all are reached.
POINTS_THAT_COUNT = 25


@pytest.mark.parametrize("seed", SEEDS)
async def test_a_kill_at_any_point_loses_nothing_and_does_nothing_twice(seed: int, forking: Zygote) -> None:
    """The bot is killed at points spread over the story of each seed, sometimes twice, and restarted."""
    whole = await undisturbed(forking, seed, CHARACTERS)
    assert not whole.faults, str(whole)
    attempts = spread(seed, CHARACTERS, len(whole.points), POINTS_PER_SEED)
    assert len({attempt.points[0] for attempt in attempts}) == POINTS_PER_SEED
    outcomes = [await attempted(forking, attempt) for attempt in attempts]
    failed = [str(outcome) for outcome in outcomes if outcome.faults]
    assert not failed, "\n".join(failed)
    assert sum(bool(outcome.kills) for outcome in outcomes) >= POINTS_THAT_COUNT
