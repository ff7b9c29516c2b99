"""`make burst`: 5,000 forms from 500 clients, `kill -9` in the middle; every 200 is a lead, once."""

import argparse
import asyncio
import statistics
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from tests.burst.proof import Found, burst

GOAL_MS = 1_000
"""For the acknowledgement: products give up after five seconds."""


def report(found: Found, seconds: float) -> str:
    """What was seen, in lines for people."""
    senders, forms = found.clients, found.clients.forms
    percentiles = statistics.quantiles([second * 1000 for second in senders.seconds], n=100)
    p50, p99, longest = percentiles[49], percentiles[98], max(senders.seconds) * 1000
    acknowledged = senders.acknowledged.total()
    verdict = "met" if p99 <= GOAL_MS else "MISSED"
    return "\n".join(
        [
            f"{forms:,} forms from {senders.clients} clients, killed amid them: {seconds:.1f} s in all",
            f"{senders.cut_off:,} posts cut off, {found.stored - acknowledged:,} stored already; "
            f"{acknowledged:,} acknowledged, {acknowledged - forms:,} of a form that was acknowledged before",
            f"acknowledgement: p50 {p50:.0f} ms, p99 {p99:.0f} ms (goal <= {GOAL_MS} ms: {verdict}), "
            f"longest {longest:.0f} ms",
            *found.faults[:20],
            f"{max(0, forms - len(found.faults))} passed, {len(found.faults)} failed",
        ]
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.burst", description=__doc__)
    parser.add_argument("--forms", type=int, default=5_000)
    parser.add_argument("--clients", type=int, default=500)
    options = parser.parse_args()
    begun = perf_counter()
    # Not /tmp: it may be memory, where a sync costs nothing.
    with tempfile.TemporaryDirectory(prefix=".burst-", dir=Path.cwd()) as folder:
        found = asyncio.run(burst(Path(folder), forms=options.forms, clients=options.clients))
    seconds = perf_counter() - begun
    sys.stdout.write(report(found, seconds) + "\n")
    return int(bool(found.faults))


if __name__ == "__main__":
    raise SystemExit(main())
