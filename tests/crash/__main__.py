"""`make chaos`, the long proof.  With --seed one story is told, with --point killed there, as printed."""

import argparse
import asyncio

from tests.crash.chaos import CHARACTERS, chaos, say
from tests.crash.proof import Attempt, attempted, summary
from tests.crash.serving import zygote


def again(attempt: Attempt, times: int) -> int:
    """One trial, as often as wanted: what else ran in its moment is the machine's to say, not the seed's."""
    with zygote() as forking:
        outcomes = [asyncio.run(attempted(forking, attempt)) for _ in range(times)]
    for outcome in outcomes:
        say(str(outcome))
    say(summary(outcomes))
    return int(any(outcome.faults for outcome in outcomes))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.crash", description=__doc__)
    parser.add_argument("--seed", type=int, help="of the story")
    parser.add_argument("--size", type=int, default=CHARACTERS, help="how many characters it has")
    parser.add_argument("--point", type=int, action="append", default=[], help="of the next process's kill")
    parser.add_argument("--times", type=int, default=1, help="how often it is told")
    arguments = parser.parse_args()
    if arguments.seed is None:
        return chaos()
    attempt = Attempt(seed=arguments.seed, size=arguments.size, points=tuple(arguments.point))
    return again(attempt, arguments.times)


if __name__ == "__main__":
    raise SystemExit(main())
