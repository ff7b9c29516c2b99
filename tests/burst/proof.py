"""The burst: `lead-agent serve`, forms from many clients at once, `kill -9` in the middle, a restart."""

import asyncio
import os
import sys
from asyncio.subprocess import DEVNULL
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.source_commands import ADD, NewSource
from storage.store import SqliteStore
from tests.bot.harness import Office, escalating, office
from tests.bot.test_web import free_port
from tests.burst.clients import Clients
from tests.burst.forms import SOURCES, number_of

LEAD_AGENT = Path(sys.executable).with_name("lead-agent")
SECONDS_IN_ALL = 240
SECONDS_BETWEEN_LOOKS = 0.05
SETTINGS = ("telegram_api_url", "operators_chat_id", "operator_ids", "anthropic_base_url", "database_url")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the senders saw, how many posts were stored, and the faults that the rows show."""

    clients: Clients
    stored: int
    faults: list[str]


async def burst(folder: Path, *, forms: int, clients: int) -> Found:
    """Kill the program once half of the forms are acknowledged, start another, and look for each form's lead.

    The program has its default limits: what is over them waits as a lead without a run.
    """
    async with office(folder, escalating()) as made, asyncio.timeout(SECONDS_IN_ALL):
        port = free_port()
        senders = Clients(urls=await _add_sources(made, port), forms=forms, clients=clients)
        async with _served(made, port):
            posting = asyncio.create_task(senders.post())
            await senders.halfway.wait()
        async with _served(made, port):
            await posting
            await _all_read(made)
        stored = made.value("SELECT count(*) FROM posts")
        return Found(clients=senders, stored=stored, faults=_faults(made, senders))


async def _add_sources(made: Office, port: int) -> dict[str, str]:
    """The URL of each source."""
    asked = [NewSource(name=name, preset=preset, secret=None) for name, preset in SOURCES.items()]
    async with SqliteStore(made.path) as store:
        added = await store.transaction(lambda tx: [ADD.perform(tx, source) for source in asked])
    return {source["name"]: f"http://127.0.0.1:{port}{source['path']}" for source in added}


@asynccontextmanager
async def _served(made: Office, port: int) -> AsyncIterator[None]:
    """`lead-agent serve`, killed with the block."""
    settings = made.settings()
    given = {name.upper(): str(getattr(settings, name)) for name in SETTINGS} | {
        "PATH": os.environ["PATH"],
        "TELEGRAM_BOT_TOKEN": made.world.token,
        "ANTHROPIC_API_KEY": "test-key",
        "HTTP_PORT": str(port),
    }
    process = await asyncio.create_subprocess_exec(
        LEAD_AGENT, "serve", env=given, cwd=made.path.parent, stderr=DEVNULL
    )
    try:
        yield
    finally:
        process.kill()
        await process.wait()


async def _all_read(made: Office) -> None:
    while True:
        if not made.value("SELECT count(*) FROM posts WHERE state = 'new'"):
            return
        await asyncio.sleep(SECONDS_BETWEEN_LOOKS)


def _faults(made: Office, senders: Clients) -> list[str]:
    """Whatever is not one lead for each form and at most one run for each lead."""
    numbers = range(senders.forms)
    leads = Counter(number_of(message) for (message,) in made.rows("SELECT message FROM leads"))
    faults = [f"form {number} has {leads[number]} leads" for number in numbers if leads[number] != 1]
    faults += [f"a lead of no form: {number}" for number in leads if number not in numbers]
    if missing := set(numbers) - set(senders.acknowledged):
        faults.append(f"{len(missing)} forms were never acknowledged")
    runs = made.rows("SELECT lead_id FROM runs GROUP BY lead_id HAVING count(*) > 1")
    faults += [f"lead {lead_id} has several runs" for (lead_id,) in runs]
    faults += [f"{count} answers were {status}" for status, count in senders.others.items()]
    return faults
