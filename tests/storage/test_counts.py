"""What a lead costs the database, in counts: statements, syncs, bytes; and no query reads a whole table."""

import re
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from storage.migrations import scripts
from storage.sql import queries
from storage.transaction import SqliteTransaction
from tests.bench.pauses import Inside
from tests.bench.workload import engined, spread

LEADS = 20
# Tables that stay small, and walks over an index or by id that end at a LIMIT or hold only what is open.
ALLOWED_SCANS = {
    "open_digest": "the one that is open",
    "count_working_runs": "open runs",
    "count_unexplained": "all runs, by hand: lead-agent check --production",
    "any_merge": "the first of an index",
    "count_suggested_merges": "what people are asked, of which there are twenty at most",
    "cut_off_runs": "queued runs, at a start during a pause",
    "mentions": "all that was journaled, by hand: lead-agent check --production",
    "open_runs": "open runs, at each turn of the manual stop",
    "restart_failing": "queued runs, at the end of a pause",
    "touch_cards_of_open_runs": "all runs, at each turn of the manual stop",
    "unfounded_decision": "the verification of the whole log, by a command",
    "count_open_proposals": "what waits for people",
    "latest_deliveries": "newest ids first, up to its LIMIT",
    "latest_leads": "newest ids first, up to its LIMIT",
    "count_crm_items": "what is due to the other CRM",
    "refused_crm_items": "what the other CRM does not take, by hand: lead-agent check",
    "touch_crm_items": "all that is known there, when another CRM is set",
    "latest_people": "newest ids first, up to its LIMIT",
    "latest_runs": "newest ids first, up to its LIMIT",
    "lose_topics": "topics that were being made when the program stopped; once at start",
    "migrated_chats": "a handful in the life of a bot",
    "new_posts": "what waits to be handled",
    "new_updates": "what waits to be handled",
    "oldest_open": "what waits for people",
    "open_proposals": "what waits for people, up to its LIMIT",
    "recover_notes": "what was being sent when the program stopped; once at start",
    "repost_open_cards": "what waits for people",
    "rules": "a handful in the life of a bot, remembered",
    "sources": "a handful in the life of a bot",
    "requeue_running": "open runs; once at start",
    "subscriptions": "a handful in the life of a bot",
    "unposted_cards_maybe_posted": "cards that are not up to date; once at start",
}
# Those that read without any index: by id, or seldom enough.
WHOLE = {
    "count_unexplained",
    "unfounded_decision",
    "latest_deliveries",
    "latest_leads",
    "latest_people",
    "touch_crm_items",
    "latest_runs",
    "mentions",
    "migrated_chats",
    "rules",
    "subscriptions",
    "touch_cards_of_open_runs",
    "sources",
}
SCAN = re.compile(r"SCAN (?!CONSTANT ROW|\(subquery)")


async def test_a_lead_costs_few_statements_and_syncs(tmp_path: Path) -> None:
    """From its words to the model's last line, with an approval: 7 commits, of which 5 wait for the disk."""
    statements: list[str] = []

    def trace(tx: SqliteTransaction) -> None:
        tx._sql._connection.set_trace_callback(statements.append)

    async with engined(tmp_path, Inside()) as engine:
        await spread(engine.work, LEADS, 1)
        await engine.store.transaction(trace)
        statements.clear()
        await spread(engine.work, LEADS, 1)
        await engine.store.transaction(lambda tx: tx._sql._connection.set_trace_callback(None))

    commits: Counter[str] = Counter()
    level = "FULL"
    for statement in statements[: len(statements) - 1]:
        if statement.startswith("PRAGMA synchronous = "):
            level = statement.rpartition(" ")[2]
        commits[level] += statement == "COMMIT"
    assert commits["FULL"] <= 5 * LEADS + 1
    assert commits.total() <= 7 * LEADS + 1
    assert len(statements) <= 89 * LEADS


async def test_a_lead_leaves_few_bytes(tmp_path: Path) -> None:
    """At most 8 KB of the checkpointed file, with all that is kept of a lead and its indexes."""
    sizes: list[int] = []
    for first in (0, 200):
        async with engined(tmp_path, Inside(), first=first) as engine:
            await spread(engine.work, 200, 8)
        sizes.append((tmp_path / "lead-agent.db").stat().st_size)
    assert (sizes[1] - sizes[0]) / 200 <= 8 * 1024


@pytest.fixture(scope="module")
def schema() -> sqlite3.Connection:
    """The newest schema, empty; the planner has no statistics, as in a real file."""
    connection = sqlite3.connect(":memory:")
    for _, script in scripts():
        connection.executescript(script)
    return connection


@pytest.mark.parametrize("name", sorted(queries()))
def test_no_query_reads_a_growing_table_from_end_to_end(schema: sqlite3.Connection, name: str) -> None:
    """Each finds its rows by an index, apart from the named ones, which read what is small by nature."""
    query = queries()[name]
    parameters = dict.fromkeys(re.findall(r":(\w+)", query), 1)
    plan = [row[3] for row in schema.execute(f"EXPLAIN QUERY PLAN {query}", parameters)]
    scans = [step for step in plan if SCAN.match(step)]
    assert bool(scans) == (name in ALLOWED_SCANS), plan
    assert name in WHOLE or all("USING" in step for step in scans), plan
