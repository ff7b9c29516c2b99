"""A website in front of the served bot, and a bot whose model opens a deal for every lead."""

import pytest

from bot.sandbox.script import Script, say, turn
from tests.bot.harness import Office
from tests.company import deal
from tests.hooks_http.conftest import site, stopped

__all__ = ["site", "stopped"]


@pytest.fixture
async def bot(stopped: Office, bare_environment: None) -> Office:
    """A served bot; nothing waits for a decision."""
    stopped.api.model = Script([turn(deal()), turn(say("Done."))])
    await stopped.start()
    return stopped
