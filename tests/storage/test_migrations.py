"""Migrations: from nothing and from every earlier version, with the data kept and a copy beside it."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent.errors import StorageError
from storage import migrations
from storage.migrations import APPLICATION_ID, scripts
from storage.store import SqliteStore

RELEASED = scripts()
NEWEST = RELEASED[-1][0]
NEXT = (NEWEST + 1, "ALTER TABLE contacts ADD COLUMN wish TEXT NOT NULL DEFAULT 'none';")
BROKEN = (NEWEST + 1, "CREATE TABLE extra (id INTEGER) STRICT;\nINSERT INTO nowhere VALUES (1);")


def made_at(path: Path, version: int) -> None:
    """A database as the program of that version left it, with a lead, a run and its journal in it."""
    path.parent.mkdir(exist_ok=True)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for number, script in RELEASED:
            if number <= version:
                connection.executescript(script)
        connection.executescript(
            f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {version};"
            "INSERT INTO contacts (id, telegram_id, name, created_at) VALUES (1, 77, 'Dana', 1);"
            "INSERT INTO leads (id, contact_id, source, name, message, created_at)"
            " VALUES (7, 1, 'telegram', 'Dana', 'We need a CRM.', 1);"
            "INSERT INTO specs (hash, agent, model, system, tools, max_tokens)"
            " VALUES ('h', 'lead', 'm', 's', '[]', 16000);"
            "INSERT INTO runs (id, agent, lead_id, contact_id, spec_hash, status, seq, max_steps, max_tokens,"
            " created_at) VALUES (9, 'lead', 7, 1, 'h', 'awaiting_confirmation', 1, 8, 60000, 1);"
            'INSERT INTO transcript VALUES (9, 1, \'{"role":"user","content":[]}\');'
            "INSERT INTO journal (run_id, seq, at, step, kind, name, outcome, ms)"
            " VALUES (9, 1, 1, 1, 'model', 'm', 'tool_use', 5);"
        )


async def kept(path: Path) -> None:
    """The program reads what an earlier version wrote."""
    async with SqliteStore(path) as store:
        view = await store.read(lambda tx: tx.views.run(9))
        assert (view.lead.message, view.run.status.value, view.model) == (
            "We need a CRM.",
            "awaiting_confirmation",
            "m",
        )
        assert [record.outcome for record in await store.read(lambda tx: tx.views.journal(9))] == ["tool_use"]


def columns(path: Path, table: str) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]


def schema(path: Path) -> list[tuple[str, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY type, name").fetchall()
    return [(kind, name, " ".join((sql or "").split())) for kind, name, sql in rows]


def test_the_versions_are_numbered_without_a_gap() -> None:
    """1, 2, 3 … in the order they are applied."""
    assert [number for number, _ in RELEASED] == list(range(1, len(RELEASED) + 1))


@pytest.mark.parametrize("version", [number for number, _ in RELEASED])
async def test_every_version_comes_up_with_its_data(path: Path, version: int) -> None:
    """From each version that was ever released to the newest; a copy is kept before anything changes."""
    made_at(path, version)
    await kept(path)
    backup = path.with_name(f"{path.name}.v{version}.bak")
    assert backup.exists() is (version < NEWEST)
    fresh = path.with_name("fresh.db")
    async with SqliteStore(fresh):
        pass
    assert {row[:2] for row in schema(path)} == {row[:2] for row in schema(fresh)}


async def test_opening_again_changes_nothing(path: Path) -> None:
    """At the newest version there is nothing to do, and no copy is made."""
    async with SqliteStore(path):
        pass
    before = schema(path)
    async with SqliteStore(path):
        pass
    assert schema(path) == before
    assert [file.name for file in path.parent.glob("*.bak")] == []


async def test_the_next_version_keeps_data_and_a_copy(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A migration yet to be written: the data is there afterwards, and the copy is the file of before."""
    made_at(path, NEWEST)
    stale = path.with_name(f"{path.name}.v{NEWEST}.bak")
    stale.write_bytes(b"an older copy")
    monkeypatch.setattr(migrations, "scripts", lambda: [*RELEASED, NEXT])
    await kept(path)
    assert "wish" in columns(path, "contacts")
    assert "wish" not in columns(stale, "contacts")
    assert stale.stat().st_mode & 0o777 == 0o600
    monkeypatch.setattr(migrations, "scripts", lambda: RELEASED)
    await kept(stale)  # the way back: the copy opens with the program of before


async def test_a_migration_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is one transaction with its version: the file stays as it was and opens with the old program."""
    made_at(path, NEWEST)
    before = schema(path)
    monkeypatch.setattr(migrations, "scripts", lambda: [*RELEASED, BROKEN])
    with pytest.raises(StorageError, match="no such table"):
        async with SqliteStore(path):
            pass
    assert schema(path) == before
    monkeypatch.setattr(migrations, "scripts", lambda: RELEASED)
    await kept(path)
