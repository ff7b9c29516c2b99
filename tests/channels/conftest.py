"""The served bot of tests/bot/harness.py, for the cards of these tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.bot.harness import Office, office


@pytest.fixture
async def by_hand(tmp_path: Path) -> AsyncIterator[Office]:
    """A bot whose replies a person sends; it asks for one reply."""
    async with office(tmp_path, reply_channels="hand_over") as made:
        await made.start()
        yield made
