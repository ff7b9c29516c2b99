"""A website before the served bot, a bot whose model opens a deal for every lead, a portal of Bitrix24."""

from collections.abc import AsyncIterator

import pytest

from bot.sandbox.script import Script, say, turn
from tests.bot.harness import Office
from tests.company import deal
from tests.crm.portal import Portal, open_portal
from tests.hooks_http.conftest import site, stopped

__all__ = ["site", "stopped"]


@pytest.fixture
async def bot(stopped: Office, bare_environment: None) -> Office:
    """A served bot; nothing waits for a decision."""
    stopped.api.model = Script([turn(deal()), turn(say("Done."))])
    await stopped.start()
    return stopped


@pytest.fixture
async def portal() -> AsyncIterator[Portal]:
    async with open_portal() as portal:
        yield portal


@pytest.fixture
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the waits between calls, and after a limit or a closed port."""
    for name, value in (
        ("PER_SECOND", 1e9),
        ("SECONDS_AFTER_TOO_MANY", 0.01),
        ("SECONDS_UNTIL_RECONNECT", 0.02),
    ):
        monkeypatch.setattr(f"bot.crm.bitrix24_api.{name}", value)
