"""What the tests of several folders share."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.company import Company, open_company


@pytest.fixture
async def company(tmp_path: Path) -> AsyncIterator[Company]:
    async with open_company(tmp_path / "lead-agent.db") as company:
        yield company
