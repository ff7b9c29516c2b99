"""`lead-agent check`: settings, storage, Telegram and the model, a line each."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from telegram import Bot, ChatFullInfo, ChatMember, ChatMemberAdministrator
from telegram.error import InvalidToken, TelegramError

from agent.clock import now
from agent.crm_link import Provider
from agent.errors import LeadAgentError, SettingsError
from bot.app import claude_of, telegram_of
from bot.channels.mail import Mail, mail_server_of
from bot.crm import bitrix24_of
from bot.crm.records import CrmClosed
from bot.pinned import Rights
from bot.readiness import State, readiness
from bot.settings import ANTHROPIC, Language, Settings
from bot.texts import texts
from storage.store import open_reader

SECONDS = 20.0


def check(*, production: bool = False) -> int:
    """1 if any line is a fault; a fault of the settings is told first and stops nothing."""
    try:
        settings = Settings.load()
    except SettingsError:
        settings = Settings.load_for_serving()  # which names what is missing beside what is wrong
    return asyncio.run(_check(settings, production=production))


async def _check(settings: Settings, *, production: bool) -> int:
    faults = 0
    for name, probe in (
        ("settings", _settings),
        ("storage", _storage),
        ("telegram", _telegram),
        ("model", _model),
        *([("mail", _mail)] if settings.smtp_host else []),
        *([("bitrix24", _bitrix24)] if settings.crm is Provider.BITRIX24 else []),
    ):
        faults += await _line(name, settings, probe)
    for line in await readiness(settings) if production else []:
        _print(str(line))
        faults += line.state is State.FAULT
    return 1 if faults else 0


async def _line(name: str, settings: Settings, probe: Callable[[Settings], Awaitable[str]]) -> int:
    """Print one line; 1 for a fault."""
    try:
        async with asyncio.timeout(SECONDS):
            words = await probe(settings)
    except SettingsError as error:
        for fault in error.faults:
            _print(f"FAULT {name}: {fault}")
        return 1
    except TimeoutError:
        _print(f"FAULT {name}: no answer within {SECONDS:g} s")
        return 1
    except LeadAgentError as error:
        _print(f"FAULT {name}: {error}")
        return 1
    _print(f"ok    {name}: {words}")
    return 0


async def _settings(settings: Settings) -> str:
    settings.for_serving()
    who = "every member of the group" if settings.everyone_decides else f"{len(settings.deciders)} people"
    mode = "webhook" if settings.public_url else "long polling"
    return f"{who} may decide, updates by {mode}, model {settings.anthropic_model}"


async def _storage(settings: Settings) -> str:
    path = settings.database_path
    if not await asyncio.to_thread(path.exists):
        await asyncio.to_thread(_can_be_made, path)
        return f"{path} will be made by `lead-agent serve`"
    async with await open_reader(path) as reader:
        await reader.check()
        waiting = await reader.read(lambda tx: tx.views.count_open_proposals())
    return f"{path} is sound; {waiting} decisions are waiting"


def _can_be_made(path: Path) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        probe = path.with_name(f".{path.name}.probe")
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise SettingsError([f"DATABASE_URL: {path.parent} cannot be written ({error.strerror})"]) from error


async def _telegram(settings: Settings) -> str:
    if settings.telegram_bot_token is None:
        raise SettingsError(["TELEGRAM_BOT_TOKEN: missing; @BotFather gives one"])
    try:
        async with telegram_of(settings) as bot:
            return await _group(bot, settings)
    except InvalidToken as error:
        raise SettingsError(["TELEGRAM_BOT_TOKEN: Telegram does not know this token"]) from error
    except (TelegramError, KeyError) as error:
        raise SettingsError([f"Telegram cannot be reached or refused: {type(error).__name__}"]) from error


async def _group(bot: Bot, settings: Settings) -> str:
    if settings.operators_chat_id is None:
        raise SettingsError([f"OPERATORS_CHAT_ID: missing; {await _seen_groups(bot)}"])
    try:
        group = await bot.get_chat(settings.operators_chat_id)
        member = await bot.get_chat_member(settings.operators_chat_id, bot.id)
    except TelegramError as error:
        seen = await _seen_groups(bot)
        raise SettingsError([f"OPERATORS_CHAT_ID: @{bot.username}: {error.message}; {seen}"]) from error
    if member.status in ("left", "kicked", "restricted"):
        raise SettingsError([f"@{bot.username} may not write in {group.title}: add it to the group again"])
    words = f"@{bot.username} is in {group.title}"
    if not isinstance(member, ChatMemberAdministrator):
        words += " (as a plain member, which is enough)"
    if settings.lead_topics:
        words += _topics(group, member)
    if settings.pinned and not Rights.of(member).pin:
        words += "; no right to pin messages, so there is no pinned line of what waits"
    return words


def _topics(group: ChatFullInfo, member: ChatMember) -> str:
    if not group.is_forum:
        return "; LEAD_TOPICS is on, but the group has no topics: cards come into the group itself"
    if not Rights.of(member).topics:
        return "; LEAD_TOPICS is on, but the bot may not manage topics: cards come into General"
    return "; each lead gets a topic"


async def _seen_groups(bot: Bot) -> str:
    """The groups that wrote lately and who wrote there: how one finds the ids for the settings.

    Nothing is confirmed, so nothing is lost to the bot.
    """
    updates = await bot.get_updates(timeout=0, allowed_updates=["message", "my_chat_member"])
    groups: dict[str, set[str]] = {}
    for update in updates:
        chat, user = update.effective_chat, update.effective_user
        if chat is not None and user is not None and chat.type in ("group", "supergroup"):
            groups.setdefault(f"{chat.title} is {chat.id}", set()).add(f"{user.full_name} is {user.id}")
    if not groups:
        return "add the bot to the group, write /help there, and run this again to see its id"
    return "seen: " + "; ".join(f"{group} ({', '.join(sorted(people))})" for group, people in groups.items())


async def _model(settings: Settings) -> str:
    if settings.anthropic_api_key is None and settings.anthropic_base_url == ANTHROPIC:
        raise SettingsError(["ANTHROPIC_API_KEY: missing"])
    claude = claude_of(settings)
    try:
        await claude.model_exists(settings.anthropic_model)
    finally:
        await claude.close()
    return f"{settings.anthropic_model} answers at {settings.anthropic_base_url}"


async def _mail(settings: Settings) -> str:
    """As far as the login; no message is sent."""
    if faults := settings.reply_faults():
        raise SettingsError(list(faults))
    await Mail(mail_server_of(settings), now).greet()
    return f"{settings.smtp_host} takes messages from {settings.smtp_from}"


async def _bitrix24(settings: Settings) -> str:
    """Whether it may be used and knows the stages; nothing is added."""
    if faults := settings.crm_faults():
        raise SettingsError(list(faults))
    crm = bitrix24_of(settings)
    try:
        words = await crm.check()
    except CrmClosed as error:
        raise SettingsError([f"{texts(Language.EN).crm.closed[error.closed]} ({error})"]) from error
    finally:
        await crm.close()
    return f"{words}; {await _waiting(settings)}"


async def _waiting(settings: Settings) -> str:
    """What is still to be brought there, and what it does not take."""
    if not await asyncio.to_thread(settings.database_path.exists):
        return "nothing waits"
    async with await open_reader(settings.database_path) as reader:
        count = await reader.read(lambda tx: tx.crm_outbox.count())
        refused = await reader.read(lambda tx: tx.crm_outbox.refused(5))
    names = "".join(f"; {item.name} is refused: {error}" for item, error in refused)
    return f"{count} changes wait{names}"


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
