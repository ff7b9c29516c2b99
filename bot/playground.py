"""`lead-agent sandbox`: the bot among stand-ins, with a page on which one is lead and operator."""

import asyncio
import signal
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from agent.errors import SettingsError
from bot.event_commands import Subscribing, subscribe
from bot.hooks import Preset
from bot.logs import configure
from bot.sandbox.mail_server import mail_server
from bot.sandbox.outside import RECEIVER
from bot.sandbox.world import World
from bot.settings import Settings
from bot.source_commands import ADD, NewSource
from bot.stage import Stage, stage
from bot.texts import texts

LEADS = (("Dana", "en"), ("Марат", "ru"), ("Айгерім", "kk"))
SENDER = "Studio <hello@studio.example>"


def sandbox(*, port: int) -> int:
    """Serve the page until a signal ends it."""
    settings = Settings.load()
    key = settings.anthropic_api_key
    configure("WARNING", [key.get_secret_value()] if key else [])
    try:
        asyncio.run(_until_stopped(settings, port))
    except (OSError, OverflowError) as error:
        raise SettingsError([f"--port {port}: cannot be used ({_why(error)}); choose another"]) from error
    return 0


def _why(error: OSError | OverflowError) -> str:
    return error.strerror or "" if isinstance(error, OSError) else "ports go from 0 to 65535"


async def _until_stopped(settings: Settings, port: int) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    claude = settings.anthropic_api_key is not None
    world = World(forum=settings.lead_topics)
    with tempfile.TemporaryDirectory(prefix="lead-agent-") as folder:
        async with playground(
            settings,
            Path(folder) / "sandbox.db",
            claude=claude,
            port=port,
            world=world,
            burst_quiet="1500ms",
            group_messages_per_minute=600,
            private_messages_per_second=30,
        ) as staged:
            for name, language in LEADS:
                world.private_chat(world.add_person(name, language_code=language))
            _welcome(settings, staged.url, claude=claude)
            await stop.wait()


@asynccontextmanager
async def playground(
    settings: Settings, database: Path, *, world: World, **options: Any
) -> AsyncIterator[Stage]:
    """The stage with everything around it: a journal, a mail server, a website, a receiver of events.

    settings, options: see bot.stage.stage.
    """
    async with (
        mail_server(world.inbox) as smtp_port,
        stage(
            settings,
            database,
            world=world,
            on_record=lambda record: world.journal(record.as_json() | {"run_id": record.run_id}),
            smtp_host="127.0.0.1",
            smtp_port=smtp_port,
            smtp_from=SENDER,
            **options,
        ) as staged,
    ):
        site = NewSource(name="site", preset=Preset.TILDA, secret=None)
        program = Subscribing(url=staged.url + RECEIVER, secret=world.inbox.secret, types=frozenset())
        added = await staged.store.transaction(lambda tx: ADD.perform(tx, site))
        await staged.store.transaction(lambda tx: subscribe(tx, program))
        world.website.url = f"{staged.hooks_url}{added['path']}"
        yield staged


def _welcome(settings: Settings, url: str, *, claude: bool) -> None:
    words = texts(settings.language)
    who = words.sandbox_claude if claude else words.sandbox_stand_in
    lines = (
        words.sandbox_open.format(url=url),
        who.format(model=settings.anthropic_model, url=settings.anthropic_base_url),
        words.sandbox_stop,
    )
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()
