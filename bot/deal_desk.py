"""/deals, /deal, /note and the buttons of a deal's card: in the operators' group, for operators."""

from collections.abc import Collection
from dataclasses import dataclass
from html import escape
from typing import Any

from telegram import Message, Update, User
from telegram.ext import BaseHandler, CallbackQueryHandler, CommandHandler, filters

from agent.clock import Clock
from agent.deals import Deal, Stage
from agent.errors import NotFound
from agent.jsontext import clean
from agent.outgoing import CardKind
from agent.runs import Person
from bot.cards import CardStyle, fitting
from bot.deal_card import PREFIX, PRESSES, DealPress, Own, deal_line
from bot.desk import Desk, answer_to, person_of
from bot.ports import BotStore, BotTransaction
from bot.presses import Context, Presses
from bot.texts.crm import CrmTexts, Filter
from bot.toasts import Toast

PAGE = 15
# Letters of a note.
LONGEST_NOTE = 1000
_PATTERN = rf"^{PREFIX}:(?P<press>{'|'.join(PRESSES)}):(?P<id>\d{{1,18}})$"
_STAGES: dict[Filter, Collection[Stage]] = {
    Filter.OPEN: [stage for stage in Stage if stage.open],
    Filter.NEW: [Stage.NEW],
    Filter.IN_PROGRESS: [Stage.IN_PROGRESS],
    Filter.WON: [Stage.WON],
    Filter.LOST: [Stage.LOST],
    Filter.MINE: [stage for stage in Stage if stage.open],
    Filter.ALL: list(Stage),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Which deals to list, and the page of them, from 1; `words` asked for them."""

    filter: Filter
    page: int
    words: str

    @classmethod
    def of(cls, arguments: list[str], texts: CrmTexts) -> "Wanted | None":
        """None for words that mean nothing here."""
        words, page = list(arguments), 1
        if words and words[-1].isdecimal() and len(words[-1]) <= 6:
            page = max(1, int(words.pop()))
        asked = " ".join(words).casefold()
        filter = texts.filters.get(asked) if asked else Filter.OPEN
        return None if filter is None else cls(filter=filter, page=page, words=asked)

    @property
    def next(self) -> str:
        """What to write for the page after this."""
        return f"{self.words} {self.page + 1}".strip()


class DealDesk:
    """Each change, its record and its answer are one transaction."""

    def __init__(
        self, *, store: BotStore, desk: Desk, presses: Presses, style: CardStyle, clock: Clock
    ) -> None:
        self._store = store
        self._desk = desk
        self._presses = presses
        self._style = style
        self._texts = style.texts.crm
        self._clock = clock

    def handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        groups = filters.ChatType.GROUPS & filters.UpdateType.MESSAGE
        return [
            CommandHandler("deals", self._on_deals, filters=groups),
            CommandHandler("deal", self._on_deal, filters=groups),
            CommandHandler("note", self._on_note, filters=groups),
            CallbackQueryHandler(self._on_press, pattern=_PATTERN),
        ]

    # --- commands

    async def _on_deals(self, update: Update, context: Context) -> None:
        asked = self._desk.asked(update)
        if asked is None:
            return
        wanted = Wanted.of(context.args or [], self._texts)
        if wanted is None:
            await self._desk.answer(asked[0], self._texts.deals_usage)
        else:
            words = await self._store.read(lambda tx: self._list(tx, wanted, person_of(asked[1])))
            await self._desk.answer(asked[0], words)

    def _list(self, tx: BotTransaction, wanted: Wanted, person: Person) -> str:
        texts, stages = self._texts, _STAGES[wanted.filter]
        owner = person if wanted.filter is Filter.MINE else None
        count, offset = tx.deals.count(stages, owner), (wanted.page - 1) * PAGE
        found = tx.deals.page(stages, owner, offset, PAGE)
        if not found:
            return texts.deals_none
        lines = [deal_line(deal, lead, texts) for deal, lead in found]
        more = [texts.deals_more.format(words=escape(wanted.next))] if count > offset + PAGE else []
        return fitting(
            [texts.deals_title.format(count=count), *lines, *more], self._style.texts.pending_more.format
        )

    async def _on_deal(self, update: Update, context: Context) -> None:
        asked = self._desk.asked(update)
        if asked is None:
            return
        message, name = asked[0], " ".join(context.args or [])
        if not name:
            await self._desk.answer(message, self._texts.deal_usage)
        else:
            await self._store.transaction(lambda tx: self._show(tx, message, name))

    def _show(self, tx: BotTransaction, message: Message, name: str) -> None:
        deal = _deal(tx, name)
        if deal is None:
            tx.notes.add(answer_to(message, self._unknown(name)), self._clock())
        else:
            tx.cards.repost(CardKind.DEAL, deal.id)

    async def _on_note(self, update: Update, _: Context) -> None:
        asked = self._desk.asked(update)
        if asked is None:
            return
        message = asked[0]
        words = (message.text or "").split(maxsplit=2)[1:]
        if len(words) < 2:
            await self._desk.answer(message, self._texts.note_usage)
        elif len(words[1]) > LONGEST_NOTE:
            await self._desk.answer(message, self._texts.note_too_long.format(count=LONGEST_NOTE))
        else:
            await self._store.transaction(lambda tx: self._note(tx, asked, words[0], str(clean(words[1]))))

    def _note(self, tx: BotTransaction, asked: tuple[Message, User], name: str, text: str) -> None:
        deal, at, answer = _deal(tx, name), self._clock(), self._unknown(name)
        message, person = asked[0], person_of(asked[1])
        if deal is not None:
            tx.deals.note(deal, text, person, at, chat_id=message.chat_id, message_id=message.message_id)
            answer = self._texts.note_stored.format(deal=deal.deal_id)
        tx.notes.add(answer_to(message, answer), at)

    def _unknown(self, name: str) -> str:
        return self._texts.deal_unknown.format(deal=escape(name[:40]))

    # --- buttons

    async def _on_press(self, update: Update, context: Context) -> None:
        query, match = update.callback_query, context.match
        assert query
        assert match
        id, press = int(match["id"]), next(press for press in PRESSES if press == match["press"])

        def apply(tx: BotTransaction, person: Person) -> Toast:
            if not self._presses.shows(tx, query, CardKind.DEAL, id):
                return Toast(text=self._style.texts.toast_outdated, alert=True)
            return self._apply(tx, tx.deals.get(id), press, person)

        await self._presses.answer(update, context, apply)

    def _apply(self, tx: BotTransaction, deal: Deal, press: DealPress, person: Person) -> Toast:
        texts, at = self._texts, self._clock()
        if isinstance(press, Own):
            changed, words = tx.deals.take(deal, person, at), texts.toast_mine.format(deal=deal.deal_id)
        else:
            changed = tx.deals.move(deal, press, person, at)
            words = texts.toast_stage.format(deal=deal.deal_id, stage=texts.stages[press])
        return Toast(text=words if changed else texts.toast_same)


def _deal(tx: BotTransaction, name: str) -> Deal | None:
    """The deal that people call D-12 or 12."""
    id = Deal.id_of(name)
    try:
        return None if id is None else tx.deals.get(id)
    except NotFound:
        return None
