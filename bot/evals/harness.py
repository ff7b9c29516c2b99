"""What every suite runs on: the model's client, an empty store, a run taken further."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from agent.claude import Claude, ClaudeSettings
from agent.engine import Engine
from agent.errors import ModelUnavailable, SettingsError
from agent.runs import Person, Run, RunStatus
from bot.app import claude_of
from bot.logs import configure
from bot.sandbox.messages_api import messages_app
from bot.sandbox.script import Model as Script
from bot.sandbox.server import serve
from bot.sandbox.stand_in_model import StandInModel
from bot.settings import Settings
from storage.store import SqliteStore

MODEL = "claude-opus-5-5"
KEY = "stand-in"
EVALUATOR = Person(id=1, name="eval")


@asynccontextmanager
async def candidate(model: str) -> AsyncIterator[tuple[Claude, str]]:
    """The client of the model to evaluate, `scripted` or `claude`, and the model's name.

    SettingsError if Claude has no key.
    """
    if model == "scripted":
        async with scripted() as stand_in:
            yield stand_in, MODEL
        return
    settings = Settings.load()
    if settings.anthropic_api_key is None:
        raise SettingsError(["ANTHROPIC_API_KEY: missing; --model claude needs it"])
    configure("ERROR", [settings.anthropic_api_key.get_secret_value()])
    claude = claude_of(settings)
    try:
        yield claude, settings.anthropic_model
    finally:
        await claude.close()


@asynccontextmanager
async def scripted(script: Script | None = None) -> AsyncIterator[Claude]:
    """The client of a stand-in that serves `script`, by default a model that works well, over HTTP."""
    async with serve(messages_app(script or StandInModel())) as url:
        claude = Claude(ClaudeSettings(api_key=KEY, base_url=url))
        try:
            yield claude
        finally:
            await claude.close()


@asynccontextmanager
async def empty_store() -> AsyncIterator[SqliteStore]:
    """A store in a file that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="lead-agent-") as folder:
        async with SqliteStore(Path(folder) / "eval.db") as store:
            yield store


async def advanced(engine: Engine, run: Run) -> Run:
    """The run as far as it goes without a person; ModelUnavailable if the model gives no answer."""
    after = await engine.advance(run.id) or run
    if not after.status.over and after.status is not RunStatus.AWAITING_CONFIRMATION:
        raise ModelUnavailable(f"{run.run_id} could not go on: {after.reason}")
    return after
