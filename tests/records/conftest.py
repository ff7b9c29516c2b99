"""The desk of tests/records/desk.py as a fixture."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.records.desk import Desk, open_desk


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with open_desk(tmp_path / "lead-agent.db") as desk:
        yield desk
