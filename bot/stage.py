"""The bot between two stand-ins, over real HTTP on both sides: what the demo and the sandbox run on."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.app import OnRecord, serving
from bot.sandbox.bot_api import bot_api_app
from bot.sandbox.chats import User
from bot.sandbox.messages_api import messages_app
from bot.sandbox.server import serve
from bot.sandbox.stand_in_model import StandInModel
from bot.sandbox.world import World
from bot.settings import Settings
from storage.store import SqliteStore

STAND_IN_KEY = "stand-in"
# Whatever else the company has set up: a lead of the stage is nobody.
STAYING_HERE: dict[str, Any] = {
    "reply_channels": "telegram,email",
    "reply_webhook_url": "",
    "smtp_host": "",
    "smtp_port": None,
    "smtp_tls": "none",
    "smtp_user": "",
    "smtp_password": None,
    "smtp_from": "",
    "crm": "builtin",
    "bitrix24_webhook_url": None,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A served bot and two operators of its world.

    url: of the page and the Bot API.  hooks_url: of the bot's own web server.
    """

    operators: tuple[User, User]
    url: str
    hooks_url: str
    settings: Settings
    store: SqliteStore


@asynccontextmanager
async def stage(
    settings: Settings,
    database: Path,
    *,
    claude: bool,
    world: World,
    port: int = 0,
    on_record: OnRecord,
    **overrides: Any,
) -> AsyncIterator[Stage]:
    """Serve the bot on the stand-ins while the block runs.

    settings: language, company and limits are taken from it, and the model's key and address if `claude`.
    Its mail server, reply webhook and CRM are not: nothing is to leave this machine.
    port: of the page and the Bot API on loopback; 0 takes a free one, OSError if it is taken.
    """
    operators = (world.add_person("Ольга", operator=True), world.add_person("Бек", operator=True))
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(serve(bot_api_app(world), port=port))
        model = {} if claude else await _stand_in(stack)
        staged = settings.model_copy(
            update=Settings.load(
                _env_file=None,
                telegram_bot_token=world.token,
                telegram_api_url=url,
                operators_chat_id=world.group.id,
                admin_ids=str(operators[0].id),
                operator_ids=",".join(str(person.id) for person in operators),
                database_url=f"sqlite:///{database}",
                public_url="",
                http_host="127.0.0.1",
                http_port=0,
                **model,
                **(STAYING_HERE | overrides),
            ).model_dump(exclude_unset=True)
        )
        world.model = staged.anthropic_model if claude else None
        app = await stack.enter_async_context(serving(staged, on_record))
        hooks_url = staged.web_url(app.web.port)
        yield Stage(operators=operators, url=url, hooks_url=hooks_url, settings=staged, store=app.store)


async def _stand_in(stack: AsyncExitStack) -> dict[str, Any]:
    """The stand-in for the Messages API, and the settings that lead to it."""
    url = await stack.enter_async_context(serve(messages_app(StandInModel())))
    return {"anthropic_base_url": url, "anthropic_api_key": STAND_IN_KEY}
