"""Every call that changes something at Telegram, with its outcome told apart: sent, not sent, unknown.

Measured with python-telegram-bot 22.8: BadRequest and TimedOut are NetworkErrors, a 429 without parameters is
a NetworkError, 200 with HTML is a TelegramError, `ok: false` with 200 is a KeyError.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, TypeVar

import httpx
from telegram import (
    Bot,
    ChatMember,
    ForceReply,
    InlineKeyboardMarkup,
    InputFile,
    LinkPreviewOptions,
    Message,
    ReplyKeyboardMarkup,
    ReplyParameters,
)
from telegram.constants import ParseMode
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from agent.errors import ChannelError, NotSent, OutcomeUnknown, Undeliverable
from agent.outgoing import Lane, Posted
from bot.limiter import Limiter

log = logging.getLogger(__name__)
T = TypeVar("T")
# Seconds that a toast or a reaction may hold up the next update.
PATIENCE = 0.5
NO_PREVIEW = LinkPreviewOptions(is_disabled=True)
# Before these a request has not left this machine.
_NEVER_LEFT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)
Migrated = Callable[[int, int], Awaitable[None]]


class MessageGone(Undeliverable):
    """The message to edit was deleted, or can no longer be edited."""


class PlaceGone(Undeliverable):
    """What the message was to stand below is not there: it may go somewhere else."""


class ReplyGone(PlaceGone):
    """The message to reply to was deleted."""


class TopicShut(PlaceGone):
    """Nothing can be written in the topic."""


class TopicGone(TopicShut):
    """It was deleted."""


class TopicClosed(TopicShut):
    """Somebody closed it."""


# How the Bot API server names them; python-telegram-bot changes the case.
_PLACES_GONE = {
    "message to be replied not found": ReplyGone,
    "message thread not found": TopicGone,
    "topic_id_invalid": TopicGone,
    "topic_deleted": TopicGone,
    "topic_closed": TopicClosed,
}


class Gateway:
    """Sends and edits through one bot, within Telegram's limits.  Raises ChannelError and nothing else."""

    def __init__(self, bot: Bot, limiter: Limiter, migrations: Mapping[int, int], migrated: Migrated) -> None:
        self._bot = bot
        self._limiter = limiter
        self._migrations = dict(migrations)
        self._migrated = migrated
        self._courtesies: set[asyncio.Task[None]] = set()

    def resolve(self, chat_id: int) -> int:
        """Where the chat is now: a group that became a supergroup has another id."""
        return self._migrations.get(chat_id, chat_id)

    def delay(self, chat_id: int, lane: Lane) -> float:
        """Seconds until a message may go there."""
        return self._limiter.delay(self.resolve(chat_id), lane)

    async def remember_migration(self, old_id: int, new_id: int) -> None:
        """Follow a group to its new id, now and after restarts."""
        log.warning("group %d became supergroup %d; set OPERATORS_CHAT_ID=%d", old_id, new_id, new_id)
        self._migrations[old_id] = new_id
        await self._migrated(old_id, new_id)

    async def send(
        self,
        chat_id: int,
        text: str,
        *,
        lane: Lane,
        html: bool = True,
        silent: bool = False,
        thread: int | None = None,
        reply_to: int | None = None,
        markup: InlineKeyboardMarkup | ReplyKeyboardMarkup | ForceReply | None = None,
    ) -> Posted:
        """Send a text, into a topic if `thread` names one; the message comes back.

        PlaceGone where it cannot stand there.
        """
        return await self._post(
            chat_id,
            lane,
            lambda chat: self._bot.send_message(
                chat,
                text,
                parse_mode=ParseMode.HTML if html else None,
                disable_notification=silent,
                message_thread_id=thread,
                link_preview_options=NO_PREVIEW,
                reply_parameters=ReplyParameters(reply_to, allow_sending_without_reply=True)
                if reply_to
                else None,
                reply_markup=markup,
            ),
        )

    async def send_document(
        self, chat_id: int, name: str, content: str, caption: str, *, lane: Lane, thread: int | None = None
    ) -> Posted:
        """Send a text file; see `send`."""
        file = InputFile(content.encode(), filename=name)
        return await self._post(
            chat_id,
            lane,
            lambda chat: self._bot.send_document(
                chat, file, caption=caption, disable_notification=True, message_thread_id=thread
            ),
        )

    async def _post(self, chat_id: int, lane: Lane, call: Callable[[int], Awaitable[Message]]) -> Posted:
        message = await self._call(chat_id, lane, call)
        return posted(message)

    async def create_topic(self, chat_id: int, name: str, *, lane: Lane) -> int:
        """Make a topic in a forum; its id comes back.  A 429 holds no messages: topics are counted apart."""
        topic = await self._call(
            chat_id, lane, lambda chat: self._bot.create_forum_topic(chat, name), holds=False
        )
        return topic.message_thread_id

    async def reopen_topic(self, chat_id: int, thread: int, *, lane: Lane) -> None:
        """Open a topic again; one that is open is fine.  Undeliverable if that is not allowed."""
        await self._call(chat_id, lane, lambda chat: self._reopen(chat, thread), holds=False)

    async def _reopen(self, chat_id: int, thread: int) -> None:
        try:
            await self._bot.reopen_forum_topic(chat_id, thread)
        except BadRequest as error:
            if "topic_not_modified" not in error.message.lower():
                raise

    async def edit(
        self,
        chat_id: int,
        message_id: int,
        text: str,
        *,
        lane: Lane,
        markup: InlineKeyboardMarkup | None = None,
    ) -> None:
        """Make a message show `text`; one that shows it already is fine.  MessageGone if it is no more."""
        await self._call(
            chat_id,
            lane,
            lambda chat: self._edit(chat, message_id, text, markup),
        )

    async def _edit(
        self, chat_id: int, message_id: int, text: str, markup: InlineKeyboardMarkup | None
    ) -> None:
        try:
            await self._bot.edit_message_text(
                text,
                chat_id=chat_id,
                message_id=message_id,
                parse_mode=ParseMode.HTML,
                link_preview_options=NO_PREVIEW,
                reply_markup=markup,
            )
        except BadRequest as error:
            words = error.message.lower()
            if "message is not modified" in words:
                return
            if (
                "message to edit not found" in words
                or "message can't be edited" in words
                or "message_id_invalid" in words
            ):
                raise MessageGone(error.message) from error
            raise

    async def pin(self, chat_id: int, message_id: int, *, lane: Lane) -> None:
        """Put a message at the top of the chat, without a sound."""
        await self._call(
            chat_id,
            lane,
            lambda chat: self._bot.pin_chat_message(chat, message_id, disable_notification=True),
        )

    async def membership(self, chat_id: int) -> ChatMember:
        """What the bot is in the chat, and may do there."""
        try:
            return await self._bot.get_chat_member(self.resolve(chat_id), self._bot.id)
        except (TelegramError, KeyError) as error:
            raise classified(error) from error

    async def turn(
        self, chat_id: int, message_id: int, text: str, *, markup: InlineKeyboardMarkup | None
    ) -> None:
        """Show another page in a message when the limits allow it; never raises, one can press again."""
        edit = self.edit(chat_id, message_id, text, lane=Lane.NOTES, markup=markup)
        await self._be_polite(edit)

    async def delete(self, chat_id: int, message_id: int) -> None:
        """Take a message away; never raises, it is only a courtesy."""
        await self._be_polite(self._bot.delete_message(chat_id, message_id, read_timeout=10))

    async def toast(self, query_id: str, text: str, *, alert: bool) -> None:
        """Answer a press; never raises, for the decision stands whatever becomes of its toast."""
        await self._be_polite(
            self._bot.answer_callback_query(query_id, text=text[:200], show_alert=alert, read_timeout=10)
        )

    async def react(self, chat_id: int, message_id: int, emoji: str) -> None:
        """Put a reaction under a message; never raises, it is only a courtesy."""
        await self._be_polite(
            self._bot.set_message_reaction(chat_id, message_id, reaction=emoji, read_timeout=10)
        )

    async def _be_polite(self, call: Coroutine[Any, Any, Any]) -> None:
        """Make a call that nothing depends on; a slow one goes on by itself and holds up no update."""
        task = asyncio.create_task(_tried(call))
        self._courtesies.add(task)
        task.add_done_callback(self._courtesies.discard)
        await asyncio.wait({task}, timeout=PATIENCE)

    async def close(self) -> None:
        """Give up what nothing depends on."""
        for task in self._courtesies:
            task.cancel()
        await asyncio.gather(*self._courtesies, return_exceptions=True)

    async def _call(
        self, chat_id: int, lane: Lane, call: Callable[[int], Awaitable[T]], *, holds: bool = True
    ) -> T:
        target = self.resolve(chat_id)
        await self._limiter.wait(target, lane)
        try:
            return await call(target)
        except ChatMigrated as error:
            if self.resolve(chat_id) != error.new_chat_id:
                await self.remember_migration(chat_id, error.new_chat_id)
            return await self._call(error.new_chat_id, lane, call, holds=holds)
        except ChannelError:
            raise
        except RetryAfter as error:
            seconds = retry_seconds(error)
            if holds:
                self._limiter.hold(target, seconds)
            raise NotSent("Telegram asks to slow down", retry_after=seconds) from error
        except (TelegramError, KeyError) as error:
            raise classified(error) from error


def posted(message: Message) -> Posted:
    """Where a message stands: outside of topics its thread is a mere chain of replies."""
    thread = message.message_thread_id if message.is_topic_message else None
    return Posted(chat_id=message.chat_id, message_id=message.message_id, thread_id=thread)


async def _tried(call: Coroutine[Any, Any, Any]) -> None:
    try:
        await call
    except (TelegramError, KeyError) as error:
        log.info("a toast or reaction failed: %s", _words(error))
    except ChannelError as error:
        log.info("a page could not be turned: %s", error)


def classified(error: Exception) -> ChannelError:
    """What is known after an error of a sending call.

    Only what Telegram itself refused, or what never left this machine, counts as not sent.
    """
    words = _words(error)
    match error:
        case Forbidden():
            return Undeliverable(words)
        case BadRequest():
            return _PLACES_GONE.get(words.lower(), Undeliverable)(words)
        case InvalidToken() | Conflict():
            return NotSent(words, retry_after=30.0)
        case TimedOut() | NetworkError() if isinstance(error.__cause__, _NEVER_LEFT):
            return NotSent("Telegram cannot be reached", retry_after=5.0)
        case NetworkError() if words.startswith("Too Many Requests"):
            return NotSent(words, retry_after=5.0)
    return OutcomeUnknown(f"the answer was lost ({words})")


def retry_seconds(error: RetryAfter) -> float:
    """How long Telegram asks to wait."""
    after: Any = error.retry_after
    return float(after.total_seconds() if hasattr(after, "total_seconds") else after)


def _words(error: Exception) -> str:
    """Short, without a URL: it would hold the bot's token."""
    if isinstance(error, TelegramError):
        return error.message.split("http", 1)[0][:200] if "://" in error.message else error.message[:200]
    return type(error).__name__
