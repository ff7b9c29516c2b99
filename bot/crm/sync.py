"""Brings what changed to the other CRM, in order for each contact, until it is there.

Rows say what is due, so nothing is lost while the other CRM is away or refuses; the built-in one is the
record all the while.  Nothing polls: commits and one alarm wake the loop.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from html import escape

from agent.clock import Clock
from agent.crm_link import Item, ItemKind, Link
from agent.deals import Change
from agent.errors import ChannelError, NotSent, StorageError, Undeliverable
from agent.outgoing import Lane, Note
from agent.people import PersonView
from bot.cards import CardStyle
from bot.crm.records import CrmClosed, OutsideCrm, Saved, contact_record, deal_record, note_record
from bot.ports import BotStore, BotTransaction, Commit
from bot.waking import woken

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Times, in seconds.

    first, longest: the waits while it is away, doubling.  closed: until it is tried again where somebody has
    to mend something.  refused: until a single record is, in case it was mended there.
    told: how long it may be away before the operators hear of it.
    """

    first: float = 2.0
    longest: float = 600.0
    closed: float = 300.0
    refused: float = 6 * 3600.0
    told: float = 900.0


class CrmSync:
    """One record at a time: the other side bears two requests a second.

    crm: makes the other CRM, once it is known what this database is called there.
    """

    _crm: OutsideCrm

    def __init__(
        self,
        *,
        store: BotStore,
        crm: Callable[[Link], OutsideCrm],
        style: CardStyle,
        group_id: int,
        clock: Clock,
        patience: Patience | None = None,
    ) -> None:
        self._store = store
        self._make = crm
        self._style = style
        self._texts = style.texts.crm
        self._group_id = group_id
        self._clock = clock
        self._patience = patience or Patience()
        self._wake = asyncio.Event()
        self._failures = 0
        self._away_since: int | None = None
        self._told: str | None = None
        store.subscribe(self._committed)

    def _committed(self, commit: Commit) -> None:
        if commit.syncing:
            self._wake.set()

    async def run(self) -> None:
        """Until cancelled; what is under way then is found there after the restart."""
        link = await self._store.read(lambda tx: tx.crm_outbox.link)
        if link is None:  # the built-in one is the only one
            await asyncio.Event().wait()
            return
        self._told, self._crm = link.trouble, self._make(link)
        try:
            while True:
                self._wake.clear()
                await self._pause(await self._step())
        finally:
            await self._crm.close()

    async def _pause(self, seconds: float | None) -> None:
        """A commit ends it, but not while the other CRM is to be left alone."""
        if self._failures:
            await asyncio.sleep(seconds or 0)
        elif seconds != 0:
            await woken(self._wake, seconds)

    async def _step(self) -> float | None:
        """Bring one item there; seconds until the next may go, None if only a commit can bring one."""
        try:
            item, later = await self._store.read(self._due)
            if item is not None:
                return await self._bring(item)
            return None if later is None else max(0.001, (later - self._clock()) / 1000)
        except StorageError as error:
            log.error("the outbox to the other CRM cannot be used: %s", error)
        except Exception:  # a bug met by one record must not end the bot
            log.exception("the other CRM could not be told")
        return self._failed()

    def _due(self, tx: BotTransaction) -> tuple[Item | None, int | None]:
        at = self._clock()
        return tx.crm_outbox.due(at), tx.crm_outbox.next(at)

    async def _bring(self, item: Item) -> float:
        """Seconds until the next may go."""
        try:
            await self._save(item)
        except Undeliverable as error:
            await self._refused(item, error)
        except CrmClosed as error:
            log.error("%s: %s", item.name, error)
            self._failed()
            await self._trouble(self._texts.link_closed, f"{self._texts.closed[error.closed]} ({error})")
            return self._patience.closed
        except ChannelError as error:
            log.warning("%s: %s", item.name, error)
            return await self._away(error)
        await self._works()
        return 0

    # --- what is said

    async def _save(self, item: Item) -> None:
        match item.kind:
            case ItemKind.CONTACT:
                await self._save_contact(item.subject)
            case ItemKind.DEAL:
                await self._save_deal(item)
            case ItemKind.NOTE:
                await self._save_note(item)

    async def _save_contact(self, contact_id: int) -> Saved:
        """The person that a contact is."""

        def read(tx: BotTransaction) -> tuple[Item, PersonView]:
            person = tx.people.of(contact_id)
            standing = person.contact.id
            if standing != contact_id:  # what it was there stays as it is
                tx.crm_outbox.leave(ItemKind.CONTACT, contact_id)
            return tx.crm_outbox.put(ItemKind.CONTACT, standing, standing), person

        item, person = await self._store.transaction(read, durable=False)
        saved = await self._crm.save_contact(contact_record(person), _known(item))
        await self._brought(item, saved)
        return saved

    async def _save_deal(self, item: Item) -> Saved:
        """With the contact that it is of now."""
        view = await self._store.read(lambda tx: tx.deals.view(item.subject))
        contact = await self._save_contact(view.deal.contact_id)
        saved = await self._crm.save_deal(deal_record(view, self._style), contact, _known(item))
        await self._brought(item, saved)
        return saved

    async def _save_note(self, item: Item) -> None:
        def read(tx: BotTransaction) -> tuple[Item, Change]:
            deal_id, note = tx.deals.noted(item.subject)
            return tx.crm_outbox.put(ItemKind.DEAL, deal_id, tx.deals.get(deal_id).contact_id), note

        deal, note = await self._store.transaction(read, durable=False)
        there = _known(deal) or await self._save_deal(deal)
        await self._brought(item, await self._crm.save_note(note_record(item.name, note, self._style), there))

    async def _brought(self, item: Item, saved: Saved) -> None:
        """Not durable: after a power cut it is found there."""
        await self._store.transaction(
            lambda tx: tx.crm_outbox.brought(item, saved.id, saved.sent), durable=False
        )

    # --- how it went

    def _failed(self) -> float:
        """Seconds to leave it alone."""
        self._failures += 1
        return float(min(self._patience.first * 2 ** min(self._failures - 1, 20), self._patience.longest))

    async def _works(self) -> None:
        self._failures, self._away_since = 0, None
        if self._told is not None:
            self._told = None
            await self._store.transaction(lambda tx: self._tell(tx, self._texts.link_back, None))

    async def _away(self, error: ChannelError) -> float:
        """Seconds until it is tried again; the operators hear of it if it lasts."""
        now, wait = self._clock(), self._failed()
        self._away_since = self._away_since or now
        if now - self._away_since >= self._patience.told * 1000:
            await self._trouble(self._texts.link_away, str(error))
        return max(wait, error.retry_after if isinstance(error, NotSent) else 0.0)

    async def _trouble(self, words: str, reason: str) -> None:
        """Tell the operators, once until it works again; and once more where somebody has to do something."""
        if self._told is None or (self._told != reason and words == self._texts.link_closed):
            self._told = reason
            await self._store.transaction(lambda tx: self._tell(tx, words, reason))

    async def _refused(self, item: Item, error: ChannelError) -> None:
        """One record is not taken for what it is; the others go on."""
        reason, texts = str(error), self._texts
        again = self._clock() + int(self._patience.refused * 1000)
        log.error("%s: %s", item.name, reason)

        def put_off(tx: BotTransaction) -> None:
            tx.crm_outbox.put_off(item, reason, again)
            if item.error != reason:
                words = texts.link_refused.format(name=item.name, reason=escape(reason, quote=False))
                tx.notes.add(self._note(words), self._clock())

        await self._store.transaction(put_off)

    def _tell(self, tx: BotTransaction, words: str, reason: str | None) -> None:
        tx.crm_outbox.set_trouble(reason)
        text = words.format(count=tx.crm_outbox.count(), reason=escape(reason or "", quote=False))
        tx.notes.add(self._note(text), self._clock())

    def _note(self, text: str) -> Note:
        return Note(chat_id=self._group_id, text=text, lane=Lane.CARDS, silent=False)


def _known(item: Item) -> Saved | None:
    """What it is there, as far as that is known here."""
    return None if item.external_id is None else Saved(id=item.external_id, sent=item.sent or {})
