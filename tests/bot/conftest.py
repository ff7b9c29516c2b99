"""The office of tests/bot/harness.py as fixtures, and an environment without settings."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.settings import Settings
from tests.bot.harness import Office, office


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Nothing of the machine's own settings, proxies or `.env` leaks in."""
    names = {*Settings.model_fields, "http_proxy", "https_proxy", "all_proxy"}
    for name in os.environ:
        if name.lower() in names:
            monkeypatch.delenv(name)
    monkeypatch.setenv("PTB_TIMEDELTA", "true")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
async def stopped(tmp_path: Path) -> AsyncIterator[Office]:
    """An office whose bot is not started yet."""
    async with office(tmp_path) as made:
        yield made


@pytest.fixture
async def bot(stopped: Office) -> Office:
    """An office whose bot is served; its model asks for one reply and is done."""
    await stopped.start()
    return stopped
