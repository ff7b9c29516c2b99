"""One trial: a story, told to a bot that is killed in the middle of it, once or more often."""

import logging
import random
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from starlette.requests import ClientDisconnect

from bot.sandbox.bot_api import bot_api_app
from bot.sandbox.messages_api import MessagesApp, messages_app
from bot.sandbox.server import serve
from bot.sandbox.world import World
from tests.crash.database import Database, copied
from tests.crash.people import People
from tests.crash.serving import Order, Starter
from tests.crash.story import Story

DEADLINE_SECONDS = 30.0
# Faster than a disk; a killed process loses nothing that it wrote, wherever that is.
SHARED_MEMORY = Path("/dev/shm")


@dataclass(slots=True, kw_only=True)
class Trial:
    """A story under way, and its records.

    kills: the words of the points at which the bot was killed.  lost: ids of the proposals that were being
    sent then.  points: those of the last process.
    """

    story: Story
    world: World
    people: People
    model: MessagesApp
    path: Path
    settings: dict[str, str]
    kills: list[str] = field(default_factory=list)
    lost: set[int] = field(default_factory=set)
    points: list[str] = field(default_factory=list)
    _came_again: bool = False

    @property
    def log(self) -> Path:
        """What the bot logged."""
        return self.path.with_suffix(".log")

    async def tell(self, starter: Starter, points: Sequence[int] = ()) -> None:
        """Let the story happen.  Each process is killed at its point, the last one when all is over."""
        self.people.begin()
        for point in (*points, None):
            if await self._serve(starter, point):
                return

    async def _serve(self, starter: Starter, point: int | None) -> bool:
        """Serve until all is over (True) or the process ends at its point (False)."""
        order = Order(settings=self.settings, log=str(self.log), point=point)
        with Database(self.path) as database:
            async with starter.serving(order, self.world.changed) as process:
                await self.world.until(
                    lambda: process.ended or self.is_over(database), DEADLINE_SECONDS, "the end of the story"
                )
                over = not process.ended
        assert process.killed, f"the bot ended by itself with {process.exit_code}"
        self.points = process.points
        if not over:
            self.kills.append(process.points[-1] if process.points else f"after {point} ms")
            with copied(self.path) as left:
                self.lost.update(left.values("SELECT id FROM proposals WHERE state = 'executing'"))
        return over

    def is_over(self, database: Database) -> bool:
        """Whether nothing is left to do or to say; the people go on with what is due."""
        self.people.act()
        if self.world.updates.pending() or not database.settled:
            return False
        if not self._came_again:
            self._came_again = True
            if self.people.come_again():
                return False
        return not self.people.press_leftovers()


def _shared_memory() -> Path | None:
    return SHARED_MEMORY if SHARED_MEMORY.is_dir() else None


@asynccontextmanager
async def beginning(story: Story) -> AsyncIterator[Trial]:
    """A trial of `story` with servers and a database of its own."""
    world, model = World(), messages_app(story)
    people = People(world=world, story=story, random=random.Random(f"people {story.seed}"))
    with tempfile.TemporaryDirectory(dir=_shared_memory()) as folder:
        async with serve(bot_api_app(world)) as telegram, serve(model) as claude:
            settings = {
                "TELEGRAM_BOT_TOKEN": world.token,
                "TELEGRAM_API_URL": telegram,
                "OPERATORS_CHAT_ID": str(world.group.id),
                "OPERATOR_IDS": ",".join(str(user.id) for user in people.operators),
                "ANTHROPIC_API_KEY": "sandbox",
                "ANTHROPIC_BASE_URL": claude,
                "DATABASE_URL": f"sqlite:///{folder}/lead-agent.db",
                "LANGUAGE": "en",
                "HTTP_PORT": "0",
                "LOG_LEVEL": "WARNING",
                "BURST_QUIET": "30ms",
                "UNDO_SECONDS": "0",
                "DENY_REASON_WAIT": "0s",
                "BURST_LONGEST": "300ms",
                "GROUP_MESSAGES_PER_MINUTE": "100000",
                "PRIVATE_MESSAGES_PER_SECOND": "1000",
                **story.settings,
            }
            yield Trial(
                story=story,
                world=world,
                people=people,
                model=model,
                path=Path(folder) / "lead-agent.db",
                settings=settings,
            )


class Abandoned(logging.Filter):
    """For the stand-ins' log: a server whose client is killed in the middle of a request complains."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not (record.exc_info and isinstance(record.exc_info[1], ClientDisconnect))
