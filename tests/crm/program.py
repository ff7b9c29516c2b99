"""The real program beside the stand-ins of a test."""

import asyncio
import os
from asyncio.subprocess import DEVNULL, Process

from tests.bot.harness import Office
from tests.crash.serving import LEAD_AGENT

NAMES = (
    "telegram_api_url",
    "operators_chat_id",
    "operator_ids",
    "anthropic_base_url",
    "database_url",
    "language",
)


async def serve(office: Office, **more: str) -> Process:
    """`lead-agent serve` before the office's stand-ins; `more` are settings by their names."""
    settings = office.settings()
    given = {name.upper(): str(getattr(settings, name)) for name in NAMES} | {
        "TELEGRAM_BOT_TOKEN": office.world.token,
        "ANTHROPIC_API_KEY": "test-key",
        "HTTP_PORT": "0",
        "GROUP_MESSAGES_PER_MINUTE": "1000",
    }
    return await asyncio.create_subprocess_exec(
        LEAD_AGENT, "serve", env={**os.environ, **given, **more}, stderr=DEVNULL
    )
