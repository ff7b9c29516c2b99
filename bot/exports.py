"""`lead-agent export`: leads, deals and decisions as CSV for a spreadsheet, streamed beside a running bot."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO
from zoneinfo import ZoneInfo

from agent.errors import SettingsError
from agent.exports import COLUMNS, TIMES, Export
from bot.reports import say
from bot.settings import Settings
from bot.spreadsheets import BOM, lines
from storage.exports import Row
from storage.store import open_reader

PAGE = 500
STDOUT = "-"


def export(what: str, target: str, *, semicolons: bool) -> int:
    """Write a table to a file (whole or not at all, readable by its owner only), or to standard output."""
    settings, separator = Settings.load(), ";" if semicolons else ","
    with _opened(target) as file:
        count = asyncio.run(_write(settings, Export(what), file, separator))
    if target != STDOUT:
        say(f"{target}: {count} {what}")
    return 0


async def _write(settings: Settings, what: Export, file: BinaryIO, separator: str) -> int:
    """How many rows there were."""
    columns, count = COLUMNS[what], 0
    file.write((BOM + lines([columns], separator)).encode())
    async for rows in _pages(settings.database_path, what):
        table = ([_cell(row[column], column, settings.zone) for column in columns] for row in rows)
        file.write(lines(table, separator).encode())
        count += len(rows)
    return count


async def _pages(database: Path, what: Export) -> AsyncIterator[list[Row]]:
    after = 0
    async with await open_reader(database) as reader:
        while True:
            start = after
            rows, after = await reader.read(lambda tx: tx.exports.page(what, start, PAGE))  # noqa: B023
            if not rows:
                return
            yield rows


def _cell(value: object, column: str, zone: ZoneInfo) -> object:
    """Times as spreadsheets know them, in TIME_ZONE."""
    if column not in TIMES or not isinstance(value, int):
        return value
    return datetime.fromtimestamp(value / 1000, UTC).astimezone(zone).strftime("%Y-%m-%d %H:%M:%S")


@contextmanager
def _opened(target: str) -> Iterator[BinaryIO]:
    """A file that takes its name once it is whole.  SettingsError if it cannot be written there."""
    if target == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(target)
    draft = path.with_name(f".{path.name}.part")
    try:
        descriptor = os.open(draft, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            yield file
        draft.replace(path)
    except OSError as error:
        raise SettingsError([f"export: {target}: {error.strerror or error}"]) from error
    finally:
        draft.unlink(missing_ok=True)
