"""What the group and the leads have yet to be shown, brought there in order of lane.

Rows say what is due; a crash may repeat a card or an answer, never an action.  Replies to leads that an
operator approved do not pass here: the engine executes them.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from functools import partial
from html import escape

from telegram import ForceReply, InlineKeyboardMarkup, KeyboardButton, ReplyKeyboardMarkup

from agent.clock import Clock
from agent.errors import ChannelError, NotSent, OutcomeUnknown, StorageError, Undeliverable
from agent.outgoing import Card, CardMessage, Lane, Note, Posted
from agent.turn import Policy
from bot.cards import CardStyle, keyboard
from bot.gateway import Gateway, MessageGone, PlaceGone, ReplyGone
from bot.ports import BotStore, BotTransaction, Commit
from bot.quiet_hours import QuietHours
from bot.showing import Shown, shown_card
from bot.topics import Owner, Place, Topics
from bot.waking import woken

log = logging.getLogger(__name__)

AT_ONCE = 4
BATCH = 50
FIRST_RETRY_MS = 1_000
LONGEST_RETRY_MS = 300_000
GIVE_UP_AFTER = 10
SECONDS_AFTER_A_FAULT = 1.0
DRAIN_SECONDS = 5.0
# Under a person's message that reached the lead.
ARRIVED = "👌"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Something due: where it goes, how urgent it is, how it is sent."""

    key: tuple[str, int]
    lane: Lane
    chat_id: int
    send: Callable[[], Awaitable[None]]


class Outbox:
    """One loop that looks for due rows, and a few messages under way at a time."""

    def __init__(
        self,
        *,
        store: BotStore,
        gateway: Gateway,
        group_id: int,
        style: CardStyle,
        topics: Topics,
        quiet: QuietHours | None,
        policy: Policy,
        clock: Clock,
    ) -> None:
        """quiet: when new cards come without a sound.  policy: what the cards of rules say of it."""
        self._store = store
        self._gateway = gateway
        self._group_id = group_id
        self._style = style
        self._topics = topics
        self._quiet = quiet
        self._policy = policy
        self._clock = clock
        self._wake = asyncio.Event()
        self._under_way: dict[tuple[str, int], asyncio.Task[None]] = {}
        self.fault: str | None = None
        store.subscribe(self._committed)

    def _committed(self, commit: Commit) -> None:
        if commit.outgoing:
            self._wake.set()

    # --- the loop

    async def run(self) -> None:
        """Until cancelled."""
        try:
            while True:
                self._wake.clear()
                wait = await self._start_due()
                await woken(self._wake, wait)
        finally:
            await self._drain()

    async def _drain(self) -> None:
        """Let what is on its way arrive and be recorded, so that a planned restart repeats nothing."""
        tasks = list(self._under_way.values())
        if tasks:
            _, hanging = await asyncio.wait(tasks, timeout=DRAIN_SECONDS)
            for task in hanging:
                task.cancel()
            await asyncio.gather(*hanging, return_exceptions=True)

    async def _start_due(self) -> float | None:
        """Start what may go now; seconds until something else may, None if only a commit can bring it."""
        try:
            items, later = await self._store.read(self._due)
        except StorageError as error:
            log.error("the outbox cannot read its rows: %s", error)
            return SECONDS_AFTER_A_FAULT
        waits = [] if later is None else [max(0.0, (later - self._clock()) / 1000)]
        for item in items:
            if item.key in self._under_way or len(self._under_way) >= AT_ONCE:
                continue  # its end wakes the loop
            if delay := self._gateway.delay(item.chat_id, item.lane):
                waits.append(delay)
            else:
                self._under_way[item.key] = asyncio.create_task(self._supervise(item))
        return min(waits, default=None)

    def _due(self, tx: BotTransaction) -> tuple[list[Item], int | None]:
        at = self._clock()
        cards = [
            Item(
                key=("card", card.id),
                lane=card.lane,
                chat_id=self._group_id,
                send=partial(self._show, card.id),
            )
            for card in tx.cards.dirty(at, Lane.NOTES, BATCH)
        ]
        notes = [
            Item(key=("note", note.id), lane=note.lane, chat_id=note.chat_id, send=partial(self._send, note))
            for note in tx.notes.new(at, Lane.NOTES, BATCH)
        ]
        return sorted([*cards, *notes], key=lambda item: item.lane), tx.alarms.next_outgoing(at)

    async def _supervise(self, item: Item) -> None:
        try:
            await item.send()
        except StorageError as error:
            log.error("an outgoing message could not be recorded: %s", error)
            await asyncio.sleep(SECONDS_AFTER_A_FAULT)
        except Exception:  # a bug in one card must not stop the others
            log.exception("%s %d could not be shown", *item.key)
            await asyncio.sleep(SECONDS_AFTER_A_FAULT)
        finally:
            del self._under_way[item.key]
            self._wake.set()

    # --- cards

    async def _show(self, card_id: int) -> None:
        """Bring every message of a card up to date, posting the card if no message shows it yet."""
        shown = await self._store.read(partial(self._render, card_id))
        card = shown.card
        try:
            if shown.rendered.document is not None and card.document_id is None and shown.messages:
                shown = await self._anew(card)  # the file above it is not of what it says now
            current = [message for message in shown.messages if self._is_current(message)]
            if not current:
                await self._topics.send(shown.owner, partial(self._post, shown))
            for message in shown.messages:
                if self._is_due(message, card):
                    there = await self._edit(shown, message)
                    if not there and message in current:
                        return None  # still due: it is posted again
        except ChannelError as error:
            return await self._put_off(card, error)
        self.fault = None
        return await self._store.transaction(lambda tx: tx.cards.clean(card), durable=False)

    async def _anew(self, card: Card) -> Shown:
        """Leave the card's messages behind, to be told where it is now."""
        await self._store.transaction(lambda tx: tx.cards.leave_behind(card))
        return await self._store.read(partial(self._render, card.id))

    def _render(self, card_id: int, tx: BotTransaction) -> Shown:
        return shown_card(tx, card_id, self._style, self._policy)

    def _is_current(self, message: CardMessage) -> bool:
        """Whether it is in the group as it is now, and was not replaced by a newer one."""
        return not message.retired and message.chat_id == self._gateway.resolve(self._group_id)

    def _is_due(self, message: CardMessage, card: Card) -> bool:
        """Whether it has to be edited; one left behind is told once where the card is now."""
        behind = message.shown == 0 if message.retired else message.shown < card.version
        return behind and self._gateway.resolve(message.chat_id) == message.chat_id

    async def _post(self, shown: Shown, place: Place) -> None:
        card, rendered = shown.card, shown.rendered
        if card.detour != place.detour:
            await self._store.transaction(lambda tx: tx.cards.set_detour(card, place.detour))
            shown = replace(shown, card=replace(card, detour=place.detour))
        if rendered.document is not None and (card.document_id is None or place.made_anew):
            await self._post_document(card, rendered.document, place)
        sent = await self._gateway.send(
            self._group_id,
            shown.text(self._style.texts),
            lane=card.lane,
            silent=rendered.silent or (not rendered.urgent and self._is_quiet()),
            thread=place.thread,
            markup=rendered.markup,
        )
        await self._store.transaction(lambda tx: tx.cards.add_message(card, sent, shown=card.version))

    async def _post_document(self, card: Card, content: str, place: Place) -> None:
        """Post the file with the full text above a card that is too long for it."""
        caption = self._style.texts.document_caption.format(proposal=f"P-{card.subject}")
        sent = await self._gateway.send_document(
            self._group_id,
            f"{card.kind}-{card.subject}.txt",
            content,
            caption,
            lane=card.lane,
            thread=place.thread,
        )
        await self._store.transaction(lambda tx: tx.cards.set_document(card, sent.message_id))

    def _is_quiet(self) -> bool:
        return self._quiet is not None and self._quiet.until(self._clock()) is not None

    async def _edit(self, shown: Shown, message: CardMessage) -> bool:
        """Whether the message is still there; one that was deleted is forgotten."""
        texts, retired = self._style.texts, message.retired
        try:
            await self._gateway.edit(
                message.chat_id,
                message.message_id,
                texts.moved if retired else shown.text(texts),
                lane=shown.card.lane,
                markup=None if retired else shown.rendered.markup,
            )
        except MessageGone:
            log.warning("a message of card %d was deleted in the group", shown.card.id)
            chat_id, message_id = message.chat_id, message.message_id
            await self._store.transaction(lambda tx: tx.cards.forget_message(chat_id, message_id))
            return False
        version = shown.card.version
        await self._store.transaction(lambda tx: tx.cards.shown(message, version), durable=False)
        return True

    async def _put_off(self, card: Card, error: ChannelError) -> None:
        """The card stays due; nothing can be approved on a card that was not posted."""
        self.fault = f"a card cannot be shown in the operators' group: {error}"
        log.warning("card %d: %s", card.id, error)
        not_before = self._clock() + self._retry_ms(card.attempts, error)
        maybe_posted = isinstance(error, OutcomeUnknown)
        await self._store.transaction(
            lambda tx: tx.cards.delay(card, not_before, str(error), maybe_posted=maybe_posted)
        )

    # --- notes

    async def _send(self, note: Note) -> None:
        if note.once and not await self._store.transaction(lambda tx: tx.notes.begin(note)):
            return None  # the manual stop is on: words to a lead wait
        try:
            owner, anchor = await self._store.read(partial(_belongings, note))
            sent = await self._topics.send(owner, partial(self._send_to, note, anchor))
        except PlaceGone as error:
            if note.reply_to is None:
                return await self._note_failed(note, error)
            return await self._store.transaction(partial(_detach, note, note.reply_to, error))
        except ChannelError as error:
            return await self._note_failed(note, error)
        await self._store.transaction(lambda tx: tx.notes.sent(note, sent.message_id), durable=False)
        if note.relayed_from is not None:
            await self._gateway.react(self._group_id, note.relayed_from, ARRIVED)
        return None

    async def _send_to(self, note: Note, anchor: Posted | None, place: Place) -> Posted:
        """A reply stays in the topic of the message it replies to."""
        elsewhere = anchor is not None and place != Place() and anchor.thread_id != place.thread
        return await self._gateway.send(
            note.chat_id,
            note.text,
            lane=note.lane,
            silent=note.silent,
            thread=place.thread,
            reply_to=None if elsewhere else note.reply_to,
            markup=_markup(note),
            html=not note.once,
        )

    async def _note_failed(self, note: Note, error: ChannelError) -> None:
        log.warning("note %d: %s", note.id, error)
        words = str(error)
        if isinstance(error, OutcomeUnknown) and note.once:
            return await self._store.transaction(lambda tx: self._lose(tx, note, words))
        if isinstance(error, Undeliverable) or note.attempts >= GIVE_UP_AFTER:
            return await self._store.transaction(lambda tx: self._fail(tx, note, words))
        not_before = self._clock() + self._retry_ms(note.attempts, error)
        return await self._store.transaction(lambda tx: tx.notes.delay(note, not_before, words))

    def _lose(self, tx: BotTransaction, note: Note, words: str) -> None:
        tx.notes.lost(note, words)
        self._tell(tx, note, self._style.texts.talk_unknown)

    def _fail(self, tx: BotTransaction, note: Note, words: str) -> None:
        tx.notes.failed(note, words)
        self._tell(tx, note, self._style.texts.talk_failed.format(note=escape(words)))

    def _tell(self, tx: BotTransaction, note: Note, words: str) -> None:
        """Answer the person whose own message it was."""
        if note.relayed_from is None:
            return
        group, at = self._gateway.resolve(self._group_id), self._clock()
        answer = Note(
            chat_id=group, text=words, reply_to=note.relayed_from, answers=note.relayed_from, silent=False
        )
        tx.notes.add(answer, at)

    @staticmethod
    def _retry_ms(attempts: int, error: ChannelError) -> int:
        if isinstance(error, NotSent):
            return int(error.retry_after * 1000)
        return int(min(FIRST_RETRY_MS * 2 ** min(attempts, 10), LONGEST_RETRY_MS))


def _belongings(note: Note, tx: BotTransaction) -> tuple[Owner | None, Posted | None]:
    """In whose topic a note belongs, and the card's message that it replies to."""
    anchor = tx.cards.message(note.chat_id, note.reply_to) if note.reply_to is not None else None
    if note.talks_with is None or (run := tx.contacts.latest_run(note.talks_with)) is None:
        return None, anchor
    return Owner.of(tx.runs.lead(run), tx.contacts.get(note.talks_with)), anchor


def _detach(note: Note, replied: int, error: PlaceGone, tx: BotTransaction) -> None:
    """Let a note go without what it replied to; a card that was deleted is posted again."""
    card = tx.cards.of_message(note.chat_id, replied)
    if card is not None and isinstance(error, ReplyGone):
        tx.cards.forget_message(note.chat_id, replied)
        tx.cards.touch_if_shown(card.kind, card.subject)
    tx.notes.detach(note)


def _markup(note: Note) -> ForceReply | ReplyKeyboardMarkup | InlineKeyboardMarkup | None:
    """What a note puts below itself, or below the input field of those who read it."""
    if note.buttons:
        return keyboard(note.buttons)
    if note.question is not None:
        return ForceReply(selective=True)  # for who is mentioned in it
    if note.share_phone is None:
        return None
    button = KeyboardButton(note.share_phone, request_contact=True)
    return ReplyKeyboardMarkup([[button]], resize_keyboard=True, one_time_keyboard=True)
