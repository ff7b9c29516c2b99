"""What reads and work cost in a database of years, against one of days."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from time import perf_counter

from storage.store import SqliteStore
from tests.bench.figures import Figure
from tests.bench.pauses import Inside
from tests.bench.workload import Engined

Operation = Callable[[], Awaitable[object]]

# Ten journal records for every lead, as a lead with one approval leaves them.
_FILL = """
CREATE TEMP TABLE n AS
    WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < {leads}) SELECT i FROM c;
INSERT INTO specs (hash, agent, model, system, tools, max_tokens)
    VALUES ('bench', 'lead', 'claude-opus-5-5', 'Work leads.', '[]', 16000);
INSERT INTO contacts (id, telegram_id, name, created_at) SELECT i, i, 'Dana ' || i, i FROM n;
INSERT INTO leads (id, contact_id, source, name, message, created_at)
    SELECT i, i, 'telegram', 'Dana ' || i, 'We need a CRM for our clinic.', i FROM n;
INSERT INTO messages (contact_id, lead_id, chat_id, message_id, kind, text, at)
    SELECT i, i, i, 1, 'text', 'We need a CRM for our clinic.', i FROM n;
INSERT INTO runs (id, agent, lead_id, contact_id, spec_hash, status, epoch, seq, steps, max_steps, max_tokens,
                  text, created_at, finished_at)
    SELECT i, 'lead', i, i, 'bench', 'done', 2, 2, 3, 8, 60000, 'Created a deal.', i, i FROM n;
INSERT INTO transcript SELECT i, s.value, '{{"role":"user","content":[]}}' FROM n, json_each('[1,2]') AS s;
INSERT INTO journal (run_id, seq, at, step, kind, name, outcome, ms, tokens)
    SELECT i, s.value, i, 1, 'model', 'claude-opus-5-5', 'tool_use', 900, 1920
    FROM n, json_each('[1,2,3,4,5,6,7,8,9,10]') AS s;
INSERT INTO proposals (id, run_id, call_id, tool, arguments, arguments_hash, token, state, available,
                       irreversible, created_at, expires_at, decided_by, decided_name, decided_at,
                       executed_at)
    SELECT i, i, 'toolu_01', 'send_reply', '{{"text":"A manager will contact you today."}}', 'hash',
           'token' || i, 'executed', 1, 1, i, i, 7001, 'Olga', i, i FROM n;
INSERT INTO decisions (proposal_id, verdict, person_id, person_name, arguments_hash, at)
    SELECT i, 'approve', 7001, 'Olga', 'hash', i FROM n;
INSERT INTO deals (contact_id, lead_id, run_id, service, summary, created_at)
    SELECT i, i, i, 'crm', 'CRM for a clinic.', i FROM n;
INSERT INTO cards (kind, subject, lane, dirty) SELECT 'proposal', i, 0, 0 FROM n;
"""


async def scale(folder: Path, *, quick: bool) -> list[Figure]:
    """Each operation's cost with many leads over its cost with 1,000, in turns on both databases."""
    few, many = 1_000, 10_000 if quick else 100_000
    rounds = 30 if quick else 100
    small = await _filled(folder / "small", few)
    large = await _filled(folder / "large", many)
    async with SqliteStore(small) as one, SqliteStore(large) as other:
        before = _operations(Engined(one, Inside(), 10_000_000), few)
        after = _operations(Engined(other, Inside(), 10_000_000), many)
        return [
            await _compared(name, before[name], after[name], rounds, f"{many * 10:,} journal rows")
            for name in before
        ]


async def _filled(folder: Path, leads: int) -> Path:
    """A database with that many finished leads."""
    path = folder / "lead-agent.db"
    async with SqliteStore(path):
        pass
    await asyncio.to_thread(_fill, path, leads)
    return path


def _fill(path: Path, leads: int) -> None:
    connection = sqlite3.connect(path)
    try:
        connection.executescript(_FILL.format(leads=leads))
        connection.commit()
    finally:
        connection.close()


def _operations(engine: Engined, leads: int) -> dict[str, Operation]:
    """What people and the bot do, each once."""
    store = engine.store

    async def approval() -> None:
        id = paused.pop()
        await engine.approve(id)
        await engine.engine.advance(id)

    async def pausing() -> None:
        paused.append(await engine.pause())

    paused: list[int] = []
    return {
        "/journal": lambda: store.read(lambda tx: tx.views.journal(leads // 2)),
        "/run": lambda: store.read(lambda tx: tx.views.run(leads // 3)),
        "/run, the latest": lambda: store.read(lambda tx: tx.views.latest(10)),
        "a lead, up to its approval": pausing,
        "/pending": lambda: store.read(lambda tx: tx.views.open_proposals(10)),
        "the next alarm": lambda: store.read(lambda tx: tx.alarms.next(0)),
        "an approval": approval,
    }


async def _compared(name: str, before: Operation, after: Operation, rounds: int, note: str) -> Figure:
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for operation, spans in zip((before, after), times, strict=True):
            began = perf_counter()
            await operation()
            spans.append(perf_counter() - began)
    cost, at_scale = median(times[0]), median(times[1])
    return Figure(
        name=f"{name}, large / small",
        value=at_scale / cost,
        unit="",
        goal=1.5,
        note=f"{at_scale * 1000:.2f} ms with {note}",
    )
