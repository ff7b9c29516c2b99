"""/pending: what waits for people, a page at a time."""

import re
from dataclasses import dataclass, replace
from html import escape
from typing import Any

from telegram import CallbackQuery, Update
from telegram.ext import BaseHandler, CallbackContext, CallbackQueryHandler, CommandHandler, filters

from agent.clock import Clock
from agent.outgoing import CardKind, Posted
from agent.proposals import Proposal, ProposalState
from agent.runs import Switch
from agent.views import ProposalView
from bot.card_messages import data_on
from bot.cards import CardStyle, keyboard, linked, pause_line
from bot.desk import Desk, answer_to
from bot.gateway import Gateway
from bot.handover import state_of
from bot.ports import BotStore, BotTransaction
from bot.standing import Deciders, refusal
from bot.toasts import Toast

Context = CallbackContext[Any, Any, Any, Any]
# As many as a message holds with the longest names.
PAGE = 8
LONGEST_NAME = 40
MOST_VOTERS = 3
_TURN = re.compile(r"page:(\d{1,4})\Z", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Some of what waits for people, with the messages that show it; `first` were left out before them."""

    first: int
    count: int
    items: list[tuple[ProposalView, Posted | None]]
    pause: Switch | None


class Pages:
    """Handlers of the command and of the buttons that turn its pages."""

    def __init__(
        self,
        *,
        store: BotStore,
        desk: Desk,
        deciders: Deciders,
        gateway: Gateway,
        style: CardStyle,
        clock: Clock,
    ) -> None:
        self._store = store
        self._desk = desk
        self._deciders = deciders
        self._gateway = gateway
        self._style = style
        self._texts = style.texts
        self._clock = clock

    def handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        groups = filters.ChatType.GROUPS & filters.UpdateType.MESSAGE
        return [
            CommandHandler("pending", self._on_pending, filters=groups),
            CallbackQueryHandler(self._on_turn, pattern=_TURN),
        ]

    async def _on_pending(self, update: Update, _: Context) -> None:
        asked = self._desk.asked(update)
        if asked is None:
            return
        message, _user = asked

        def answer(tx: BotTransaction) -> None:
            page = _page(tx, 0)
            note = replace(answer_to(message, self._text(page)), buttons=_buttons(page))
            tx.notes.add(note, self._clock())

        await self._store.transaction(answer)

    async def _on_turn(self, update: Update, context: Context) -> None:
        query = update.callback_query
        assert query
        toast = refusal(await self._deciders.standing(query.from_user, context.bot), self._texts)
        if toast is None:
            toast = await self._turn(query)
        await self._gateway.toast(query.id, toast.text, alert=toast.alert)

    async def _turn(self, query: CallbackQuery) -> Toast:
        """Show another page in the message that was pressed, if it is one of ours that has the button."""
        message, match = query.message, _TURN.fullmatch(query.data or "")
        if message is None or match is None or not self._desk.is_group(message.chat.id):
            return Toast(text=self._texts.toast_outdated, alert=True)
        if query.data not in data_on(message):
            return Toast(text=self._texts.toast_outdated, alert=True)
        page = await self._store.read(lambda tx: _page(tx, int(match[1])))
        buttons = _buttons(page)
        markup = keyboard(buttons) if buttons else None
        await self._gateway.turn(message.chat.id, message.message_id, self._text(page), markup=markup)
        return Toast(text="")

    def _text(self, page: Page) -> str:
        head = [pause_line(page.pause, self._style)] if page.pause else []
        if not page.items:
            return "\n".join([*head, self._texts.pending_none])
        title = self._texts.pending_title.format(count=page.count)
        if page.count > len(page.items):
            first, last = page.first + 1, page.first + len(page.items)
            title += " · " + self._texts.pending_page.format(first=first, last=last)
        return "\n".join([*head, title, *(self._line(shown, link) for shown, link in page.items)])

    def _line(self, shown: ProposalView, link: Posted | None) -> str:
        proposal = shown.proposal
        parts = [
            linked(proposal.proposal_id, link),
            escape(shown.view.lead.name[:LONGEST_NAME], quote=False),
            state_of(proposal, self._texts),
            self._style.age(self._clock() - proposal.pending_since),
            self._votes(proposal),
            shown.view.run.run_id,
        ]
        return " · ".join(part for part in parts if part)

    def _votes(self, proposal: Proposal) -> str:
        """Who has approved so far, where more people have to."""
        if proposal.state is not ProposalState.PENDING or not proposal.votes:
            return ""
        names = [escape(voter.name[:LONGEST_NAME], quote=False) for voter in proposal.votes[:MOST_VOTERS]]
        count, needed = len(proposal.votes), proposal.needed
        return self._texts.votes.format(count=count, needed=needed, who=", ".join(names))


def _page(tx: BotTransaction, number: int) -> Page:
    """The page with that number, from 0; the last one where there are not so many any more."""
    count = tx.views.count_open_proposals()
    first = min(number, max(0, count - 1) // PAGE) * PAGE
    shown = tx.views.open_proposals(PAGE, first)
    links = [tx.cards.link(CardKind.PROPOSAL, item.proposal.card) for item in shown]
    return Page(first=first, count=count, items=list(zip(shown, links, strict=True)), pause=tx.paused)


def _buttons(page: Page) -> tuple[tuple[str, str], ...]:
    number, last = page.first // PAGE, max(0, page.count - 1) // PAGE
    back = [("◀", f"page:{number - 1}")] if number else []
    on = [("▶", f"page:{number + 1}")] if number < last else []
    return (*back, *on)
