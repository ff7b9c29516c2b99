"""Run every section and print what it found."""

import argparse
import asyncio
import json
import os
import platform
import sqlite3
import tempfile
from pathlib import Path

from tests.bench.figures import Figure, table
from tests.bench.model_server import serving
from tests.bench.pauses import latency, paused
from tests.bench.scale import scale
from tests.bench.speed import speed
from tests.bench.startup import startup
from tests.bench.syncs import disk


async def _run(folder: Path, *, quick: bool) -> dict[str, list[Figure]]:
    """Every section by its title.  Memory comes first, before the others have grown the process."""
    found: dict[str, list[Figure]] = {}

    def show(title: str, figures: list[Figure]) -> None:
        found[title] = figures
        print(table(title, figures), flush=True)  # noqa: T201  (its output)

    show("Paused runs", await paused(folder / "paused", quick=quick))
    show("From approval to channel", await latency(folder / "latency", quick=quick))
    show("Start", await startup(folder, quick=quick))
    async with serving() as url:
        show("Speed", await speed(url, folder / "speed", quick=quick))
        show("Disk", await disk(url, folder, quick=quick))
    show("Years of data", await scale(folder, quick=quick))
    return found


def _machine() -> str:
    return (
        f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs, "
        f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    )


def main() -> None:
    """Parse the command line, run, write the JSON file if one is wanted."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller numbers, in under a minute")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there too")
    options = parser.parse_args()
    print(_machine())  # noqa: T201  (its output)
    # Not /tmp: it may be memory, where a sync costs nothing.
    with tempfile.TemporaryDirectory(prefix=".bench-", dir=Path.cwd()) as folder:
        found = asyncio.run(_run(Path(folder), quick=options.quick))
    if options.json:
        sections = {title: [figure.as_json() for figure in figures] for title, figures in found.items()}
        options.json.write_text(json.dumps({"machine": _machine(), "sections": sections}, indent=2) + "\n")


if __name__ == "__main__":
    main()
