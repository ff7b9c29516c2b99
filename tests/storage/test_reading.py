"""Reading beside a running bot, and after it was killed."""

import subprocess
import sys
from pathlib import Path

import pytest

from agent.errors import StorageError, UnreadableDatabase, UnwritableStorage
from storage.store import SqliteStore, open_reader
from tests.company import DANA, Company, open_company

WRITER = """
import asyncio, sys
from pathlib import Path
from tests.company import open_company

async def main():
    async with open_company(Path(sys.argv[1])) as company:
        run = await company.lead("Written before the kill.")
        print(run.run_id, flush=True)
        while sys.stdin.readline():
            await company.write("more")
            print("more", flush=True)

asyncio.run(main())
"""


def started(path: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def no_database(path: Path) -> None:
    path.write_bytes(b"not a database at all " * 1_000)


async def test_a_reader_sees_a_running_bot_and_what_a_killed_one_left(path: Path) -> None:
    """Another process writes: commands read beside it and after kill -9, and nothing committed is lost."""
    with started(path) as writer:
        assert writer.stdout is not None
        assert writer.stdin is not None
        try:
            name = writer.stdout.readline().strip()
            async with await open_reader(path) as reader:
                ((run, model),) = await reader.read(lambda tx: tx.views.latest(10))
                assert (run.run_id, run.status, model) == (name, "running", "claude-opus-5-5")
                writer.stdin.write("\n")
                writer.stdin.flush()
                assert writer.stdout.readline() == "more\n"
                view = await reader.read(lambda tx: tx.views.run(run.id))
                assert [said.text for said in view.unread] == ["more"]
        finally:
            writer.kill()
    assert path.with_name(f"{path.name}-wal").stat().st_size > 0
    async with await open_reader(path) as reader:
        view = await reader.read(lambda tx: tx.views.run(run.id))
        assert (view.lead.message, [said.text for said in view.unread]) == (
            "Written before the kill.",
            ["more"],
        )
    async with SqliteStore(path) as store:
        assert (await store.read(lambda tx: tx.views.run(run.id))).lead.telegram_id == DANA


async def test_readers_cannot_write(company: Company) -> None:
    """Neither the bot's own reader nor a command's: SQLite refuses, and nothing has changed."""
    run = await company.lead()
    async with await open_reader(company.path) as reader:
        for read in (company.store.read, reader.read):
            with pytest.raises(StorageError):
                await read(lambda tx: tx.alert(run.id))
    assert not await company.alerted(run)


async def test_a_read_is_one_snapshot(company: Company) -> None:
    """What is committed in the middle of a read is not in it: a card never shows half of a change."""
    run = await company.lead()
    seen: list[int] = []

    def read(tx: object) -> None:
        for _ in range(2):
            seen.append(len(company.store._reader._conn.execute("SELECT id FROM messages").fetchall()))  # type: ignore[union-attr]
            company.tamper(
                "INSERT INTO messages (contact_id, chat_id, message_id, kind, text, at)"
                " VALUES (?, 5, ?, 'text', 'x', 1)",
                run.contact_id,
                len(seen),
            )

    await company.store.read(read)
    assert seen == [1, 1]
    assert len(company.tamper("SELECT id FROM messages")) == 3


async def test_without_a_database_nothing_is_made(path: Path) -> None:
    """A command before the first start says so and leaves no empty file behind."""
    with pytest.raises(UnwritableStorage, match="there is no database yet"):
        await open_reader(path)
    assert not path.parent.exists()


async def test_a_file_that_is_no_database_is_told_to_commands_too(path: Path) -> None:
    """The same words as at the start of the bot."""
    path.parent.mkdir()
    no_database(path)
    with pytest.raises(UnreadableDatabase, match="damaged or is no SQLite file"):
        async with await open_reader(path) as reader:
            await reader.read(lambda tx: tx.views.latest(1))


async def test_a_reader_beside_this_process(path: Path) -> None:
    """A command's reader sees each commit at once and leaves the log to the bot."""
    async with open_company(path) as company, await open_reader(path) as reader:
        assert await reader.read(lambda tx: tx.views.latest(1)) == []
        run = await company.lead()
        assert [found.id for found, _ in await reader.read(lambda tx: tx.views.latest(1))] == [run.id]
