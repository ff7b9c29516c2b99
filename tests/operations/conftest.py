"""The served bot of tests/bot, with an admin, for the tests of commands."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.sandbox.chats import User
from tests.bot.harness import Office, office


@pytest.fixture
async def bot(tmp_path: Path) -> AsyncIterator[Office]:
    """A served bot without admins."""
    async with office(tmp_path) as made:
        await made.start()
        yield made


@pytest.fixture
async def governed(bot: Office) -> tuple[Office, User]:
    """A served bot, and its admin."""
    aida = bot.world.add_person("Aida", operator=True)
    bot.overrides["admin_ids"] = str(aida.id)
    await bot.restart()
    return bot, aida
