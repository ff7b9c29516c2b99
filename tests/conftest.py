"""What the tests of several folders share."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import settings

from bot.settings import Settings
from tests.company import Company, open_company

# How long an example takes is the machine's to say.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


@pytest.fixture
async def company(tmp_path: Path) -> AsyncIterator[Company]:
    async with open_company(tmp_path / "lead-agent.db") as company:
        yield company


@pytest.fixture
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No settings of the machine, and an empty folder to run in."""
    for name in os.environ:
        if name.lower() in Settings.model_fields:
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
