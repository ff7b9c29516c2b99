"""A website in front of an office."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from tests.bot.harness import Office, office
from tests.hooks_http.site import Site


@pytest.fixture
async def stopped(tmp_path: Path) -> AsyncIterator[Office]:
    """An office whose bot is not started yet."""
    async with office(tmp_path) as made:
        yield made


@pytest.fixture
async def site(
    stopped: Office, bare_environment: None, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Site]:
    """A served bot with one source, `site`."""
    await stopped.start()
    async with httpx.AsyncClient(trust_env=False) as client:
        made = Site(office=stopped, client=client, monkeypatch=monkeypatch)
        await made.add()
        yield made
