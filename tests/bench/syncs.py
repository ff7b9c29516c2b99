"""What a lead costs the disk: syncs counted by strace in a process of their own, bytes in the file."""

import asyncio
import re
import shutil
import sqlite3
import sys
import time
from pathlib import Path

from tests.bench.figures import Figure
from tests.bench.workload import claude, engined, spread

_SYNC = re.compile(r"^(?:\d+ +)?(\d+\.\d+) (?:fdatasync|fsync)\(")
_NO_STRACE = "strace is not installed (apt-get install strace)"
_NO_PTRACE = "strace may not trace here"


async def disk(url: str, folder: Path, *, quick: bool) -> list[Figure]:
    """Syncs and bytes per lead, at concurrency 1 and 32."""
    leads = 50 if quick else 200
    found: list[Figure] = []
    for concurrency in (1, 32):
        inside = folder / f"disk-{concurrency}"
        inside.mkdir()
        syncs, note = await _syncs(url, inside, leads, concurrency)
        found.append(
            Figure(name=f"syncs per lead, at {concurrency}", value=syncs, unit="", goal=6, note=note)
        )
        size = await _bytes(url, inside / "bytes", leads, concurrency)
        found.append(Figure(name=f"database per lead, at {concurrency}", value=size, unit="KB", goal=8))
    return found


async def _syncs(url: str, folder: Path, leads: int, concurrency: int) -> tuple[float | None, str]:
    """fsync and fdatasync calls of all threads between the child's first and last lead."""
    if shutil.which("strace") is None:
        return None, _NO_STRACE
    trace = folder / "trace"
    strace = ("strace", "-f", "-ttt", "-e", "trace=fsync,fdatasync", "-o", str(trace))
    child = (
        sys.executable,
        "-m",
        "tests.bench.syncs",
        url,
        str(folder / "syncs"),
        str(leads),
        str(concurrency),
    )
    process = await asyncio.create_subprocess_exec(
        *strace, *child, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    if process.returncode != 0:
        return None, _NO_PTRACE
    began, ended = map(float, output.split())
    times = [float(match[1]) for line in trace.read_text().splitlines() if (match := _SYNC.match(line))]
    return sum(began <= at <= ended for at in times) / leads, ""


async def _bytes(url: str, folder: Path, leads: int, concurrency: int) -> float:
    """KB by which the checkpointed file grows for each lead."""
    path = folder / "lead-agent.db"
    sizes: list[int] = []
    async with claude(url) as model:
        for _ in range(2):
            async with engined(folder, model, first=leads * len(sizes)) as engine:
                await spread(engine.work, leads, concurrency)
            sizes.append(_size(path))
    return (sizes[1] - sizes[0]) / leads / 1024


def _size(path: Path) -> int:
    connection = sqlite3.connect(path)
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    finally:
        connection.close()
    return path.stat().st_size


async def _traced(url: str, folder: Path, leads: int, concurrency: int) -> None:
    async with claude(url) as model, engined(folder, model) as engine:
        await spread(engine.work, concurrency, concurrency)
        began = time.time()
        await spread(engine.work, leads, concurrency)
        print(began, time.time())  # noqa: T201  (the parent reads it)


if __name__ == "__main__":
    asyncio.run(_traced(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])))
