"""A damaged file is told in clear words and never written over."""

from pathlib import Path

import pytest

from agent.errors import UnreadableDatabase
from bot.sandbox.script import say, turn
from storage.store import SqliteStore
from tests.company import open_company

PAGE = 4096


def read(path: Path) -> bytes:
    return path.read_bytes()


def made_of(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


async def filled(path: Path) -> Path:
    """A closed database with a few hundred leads in it."""
    async with open_company(path) as company:
        company.script(turn(say("Done.")))
        for number in range(3):
            await company.write("word " * 20_000, telegram_id=number)
        for run in await company.begin():
            await company.work(run)
    return path


def overwrite(path: Path, at: int, bytes_: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(bytes_)


def cut(path: Path, kept: float) -> None:
    """Leave that part of the file, in whole pages."""
    with path.open("r+b") as file:
        file.truncate(int(path.stat().st_size * kept) // PAGE * PAGE)


async def told(path: Path) -> None:
    """Opening, or reading all of it, says that the file is damaged."""
    with pytest.raises(UnreadableDatabase, match="damaged or is no SQLite file: restore the last backup"):
        async with SqliteStore(path) as store:
            await store.read(lambda tx: [tx.runs.transcript(run) for run, _ in tx.views.latest(10)])


@pytest.mark.parametrize("size", [100, 4_096, 20_000])
async def test_a_file_that_is_no_database(tmp_path: Path, size: int) -> None:
    """Whatever it is, it is not written over."""
    content = (b"PK\x03\x04" * size)[:size]
    path = made_of(tmp_path / "lead-agent.db", content)
    await told(path)
    assert path.read_bytes() == content


async def test_a_header_that_was_overwritten(path: Path) -> None:
    """The first bytes are gone: no SQLite file any more."""
    await filled(path)
    overwrite(path, 0, b"\xff" * 100)
    await told(path)


@pytest.mark.parametrize("kept", [0.3, 0.6])
async def test_a_file_that_was_cut_off(path: Path, kept: float) -> None:
    """A copy that was interrupted is noticed when it is opened."""
    await filled(path)
    cut(path, kept)
    with pytest.raises(UnreadableDatabase):
        async with SqliteStore(path):
            pass


async def test_pages_that_went_bad(path: Path) -> None:
    """Bad sectors are told as damage by whatever reads them, and never shown as data."""
    await filled(path)
    for page in range(2, 40):
        overwrite(path, page * PAGE, b"\xa5" * PAGE)
    await told(path)


def log_size(path: Path) -> int:
    return path.with_name(f"{path.name}-wal").stat().st_size


def copied(path: Path, *, torn_at: int) -> Path:
    """What a power cut would leave of the file and its log, the log cut at that byte."""
    copy = path.with_name("copy.db")
    copy.write_bytes(path.read_bytes())
    log = path.with_name(f"{path.name}-wal").read_bytes()
    copy.with_name("copy.db-wal").write_bytes(log[:torn_at])
    return copy


async def test_a_torn_log_is_cut_at_its_last_whole_transaction(path: Path) -> None:
    """A power cut in the middle of the log's last write takes that transaction only."""
    async with open_company(path) as company:
        await company.write("first", telegram_id=1)
        whole = log_size(path)
        await company.write("second", telegram_id=2)
        copy = copied(path, torn_at=whole + 1_000)
    async with SqliteStore(copy) as store:
        due = await store.read(lambda tx: tx.contacts.due_bursts(2**60))
    assert [contact.telegram_id for contact in due] == [1]
