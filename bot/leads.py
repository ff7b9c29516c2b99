"""What people write to the bot in private: recorded at once, made into one lead when the burst is over."""

import re
from dataclasses import dataclass
from typing import Any

from telegram import Message, Update, User
from telegram.ext import (
    BaseHandler,
    CallbackContext,
    ChatMemberHandler,
    CommandHandler,
    MessageHandler,
    filters,
)

from agent.clock import Clock
from agent.contacts import Contact
from agent.jsontext import clean, one_line
from agent.outgoing import Lane, Note
from agent.runs import TELEGRAM
from bot.gateway import Gateway
from bot.ports import BotStore, BotTransaction
from bot.reception import Reception, refresh_cards
from bot.settings import OFF, Settings
from bot.talks import Talks
from bot.texts import LeadTexts, lead_texts

Context = CallbackContext[Any, Any, Any, Any]
OWN_PHONE = "own_phone"
# Fields of a message whose name says it all.
_BARE_KINDS = (
    "photo",
    "video",
    "video_note",
    "animation",
    "audio",
    "story",
    "game",
    "invoice",
    "paid_media",
    "checklist",
    "giveaway",
)
ACKNOWLEDGED_FOR_MS = 24 * 3_600_000
PRIVATE = filters.ChatType.PRIVATE & filters.UpdateType.MESSAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What a message says, whatever kind it is."""

    kind: str
    text: str


class PrivateMembership(ChatMemberHandler[Any, Any]):
    """The bot's own membership in a private chat."""

    def check_update(self, update: object) -> bool:
        if not isinstance(update, Update) or not super().check_update(update):
            return False
        return update.effective_chat is not None and update.effective_chat.type == "private"


class Leads:
    """Handlers of the leads' private chats."""

    def __init__(
        self,
        *,
        store: BotStore,
        reception: Reception,
        gateway: Gateway,
        talks: Talks,
        settings: Settings,
        clock: Clock,
    ) -> None:
        self._store = store
        self._reception = reception
        self._gateway = gateway
        self._talks = talks
        self._settings = settings
        self._clock = clock

    def handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        return [
            CommandHandler("start", self._on_start, filters=PRIVATE),
            MessageHandler(PRIVATE & ~filters.StatusUpdate.ALL, self._on_message),
            MessageHandler(filters.ChatType.PRIVATE & filters.UpdateType.EDITED_MESSAGE, self._on_edit),
            PrivateMembership(self._on_membership, ChatMemberHandler.MY_CHAT_MEMBER),
        ]

    async def _on_start(self, update: Update, _: Context) -> None:
        """The greeting, with the privacy notice: words of the company, fixed beforehand.

        Nothing goes to a lead while the manual stop is on, and a greeting comes at once or not at all.
        """
        user, message = update.effective_user, update.message
        assert user is not None
        assert message is not None
        words = lead_texts(user.language_code, self._settings.language)

        def greet(tx: BotTransaction) -> None:
            self._contact(tx, user)
            if self._settings.greeting.lower() != OFF and not tx.paused:
                tx.notes.add(self._greeting(user.id, message.message_id, words), self._clock())

        await self._store.transaction(greet)
        if _says_more(message.text or ""):
            await self._on_message(update, _)

    def _greeting(self, chat_id: int, message_id: int, words: LeadTexts) -> Note:
        settings = self._settings
        parts = [settings.greeting or words.greeting, words.privacy]
        if settings.company_name:
            parts.insert(0, settings.company_name)
        if settings.privacy_url:
            parts.append(words.privacy_link.format(url=settings.privacy_url))
        return Note(
            chat_id=chat_id,
            answers=message_id,
            text="\n\n".join(parts),
            lane=Lane.CARDS,
            share_phone=words.share_phone,
            silent=False,
            once=True,
        )

    async def _on_message(self, update: Update, _: Context) -> None:
        user, message = update.effective_user, update.message
        if user is None or message is None or user.is_bot:
            return
        welcome = await self._store.transaction(lambda tx: self._take(tx, user, message) and not tx.paused)
        if welcome and self._settings.reaction.lower() != OFF:
            await self._gateway.react(message.chat_id, message.message_id, self._settings.reaction)

    def _take(self, tx: BotTransaction, user: User, message: Message) -> bool:
        """Record a message; whether it is new."""
        contact, words, at = self._contact(tx, user), words_of(message), self._clock()
        shared = message.contact
        own = shared is not None and shared.user_id == user.id  # vouched for by Telegram
        if shared is not None and own:
            tx.contacts.set_phone(contact, f"+{shared.phone_number.lstrip('+')}", at)
        new = tx.contacts.add_message(
            contact,
            chat_id=message.chat_id,
            message_id=message.message_id,
            kind=OWN_PHONE if own else words.kind,
            text=words.text,
            at=at,
        )
        if new and contact.taken_by is not None:
            self._talks.pass_on(tx, contact, words.text)
        elif new:
            self._reception.follow_up(tx, contact, at)
        return new and contact.taken_by is None

    async def _on_edit(self, update: Update, _: Context) -> None:
        """A correction of what nobody has read yet counts; later ones change nothing that was read."""
        user, message = update.effective_user, update.edited_message
        assert user is not None
        assert message is not None
        text = words_of(message).text

        def correct(tx: BotTransaction) -> None:
            if tx.contacts.edit_unread(message.chat_id, message.message_id, text):
                run = tx.contacts.open_run(self._contact(tx, user).id)
                if run is not None:
                    refresh_cards(tx, run)

        await self._store.transaction(correct)

    async def _on_membership(self, update: Update, _: Context) -> None:
        """The lead blocked the bot, or let it in again."""
        change = update.my_chat_member
        assert change
        blocked = change.new_chat_member.status in ("kicked", "left")

        def mark(tx: BotTransaction) -> None:
            contact_id = tx.contacts.set_blocked(change.chat.id, blocked)
            run = tx.contacts.open_run(contact_id) if contact_id is not None else None
            if run is not None:
                refresh_cards(tx, run)

        await self._store.transaction(mark)

    def _contact(self, tx: BotTransaction, user: User) -> Contact:
        name = one_line(user.full_name) or f"id {user.id}"
        return tx.contacts.upsert(
            telegram_id=user.id,
            name=name,
            username=user.username,
            language=user.language_code,
            at=self._clock(),
        )

    def close_bursts(self, tx: BotTransaction) -> None:
        """Make leads of the bursts that are over, each with its run, or let the open run have the words."""
        at = self._clock()
        for contact in tx.contacts.due_bursts(at):
            lead = tx.contacts.close_burst(contact, at)
            if lead is not None:
                self._reception.begin(tx, lead)
                if contact.telegram_id is not None and lead.source == TELEGRAM and not lead.spam:
                    self._acknowledge(tx, contact, contact.telegram_id, at)
            elif (run := tx.contacts.open_run(contact.id)) is not None:
                tx.runs.queue(run.id)  # it reads the words, as soon as nothing in it waits for people

    def _acknowledge(self, tx: BotTransaction, contact: Contact, chat_id: int, at: int) -> None:
        """Say once that it was received, and again only after a day."""
        setting = self._settings.acknowledgement
        recently = contact.acknowledged_at is not None and at - contact.acknowledged_at < ACKNOWLEDGED_FOR_MS
        if setting.lower() == OFF or recently or tx.paused:
            return
        text = setting or lead_texts(contact.language, self._settings.language).acknowledgement
        tx.contacts.acknowledge(contact, at)
        tx.notes.add(Note(chat_id=chat_id, text=text, lane=Lane.NOTES, silent=True, once=True), at)


def _says_more(text: str) -> bool:
    """Whether words follow the command; the payload of a link to the bot is none (Bot API, deep linking)."""
    rest = text.partition(" ")[2].strip()
    return bool(rest) and not re.fullmatch(r"[\w-]{1,64}", rest, re.ASCII)


def words_of(message: Message) -> Words:
    """The kind of a message and its words; media are named in brackets, so that nothing looks empty."""
    if message.text:
        return Words(kind="text", text=str(clean(message.text)))
    kind, detail = _medium(message)
    label = f"[{kind}: {detail}]" if detail else f"[{kind}]"
    return Words(kind=kind, text=str(clean(" ".join(part for part in (label, message.caption) if part))))


def _medium(message: Message) -> tuple[str, str]:
    if contact := message.contact:
        name = " ".join(part for part in (contact.first_name, contact.last_name) if part)
        return "contact", f"{name} {contact.phone_number}".strip()
    if place := message.venue:
        return "venue", f"{place.title}, {place.address}"
    if location := message.location:
        return "location", f"{location.latitude:.5f}, {location.longitude:.5f}"
    if sticker := message.sticker:
        return "sticker", sticker.emoji or ""
    if document := message.document:
        return ("animation" if message.animation else "document"), document.file_name or ""
    if voice := message.voice:
        return "voice", f"{_seconds(voice.duration)} s"
    if poll := message.poll:
        return "poll", poll.question
    if dice := message.dice:
        return "dice", f"{dice.emoji} {dice.value}"
    for kind in _BARE_KINDS:
        if getattr(message, kind, None):
            return kind, ""
    return "message", ""


def _seconds(duration: Any) -> int:
    return int(duration.total_seconds() if hasattr(duration, "total_seconds") else duration)
