"""Presses on cards: token, chat, message and person are checked, then one compare-and-set decides."""

import hmac
import logging
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from telegram import CallbackQuery, MaybeInaccessibleMessage, Message, Update, User
from telegram.error import TelegramError
from telegram.ext import BaseHandler, CallbackContext, CallbackQueryHandler

from agent.engine import Engine
from agent.jsontext import one_line
from agent.outgoing import CardKind
from agent.proposals import Decision, Proposal, ProposalState, Refusal, Verdict
from agent.runs import Person
from bot.cards import parse_callback_data
from bot.gateway import Gateway
from bot.ports import BotStore, BotTransaction
from bot.settings import Settings
from bot.texts import Texts

log = logging.getLogger(__name__)

# Anonymous admins, channels and Telegram itself press under these ids: nobody in particular.
NOBODY = frozenset({1087968824, 136817688, 777000})
INSIDE = frozenset({"creator", "administrator", "member"})


class Standing(Enum):
    """Whether a person may decide."""

    MAY_DECIDE = auto()
    STRANGER = auto()
    NAMELESS = auto()
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Toast:
    """The short answer to a press; an alert has to be closed."""

    text: str
    alert: bool = False


class Approvals:
    """Handler of presses."""

    def __init__(
        self,
        *,
        store: BotStore,
        engine: Engine,
        gateway: Gateway,
        settings: Settings,
        texts: Texts,
        group_id: int,
    ) -> None:
        self._store = store
        self._engine = engine
        self._gateway = gateway
        self._settings = settings
        self._texts = texts
        self._group_id = group_id

    def handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        return [CallbackQueryHandler(self._on_press)]

    async def _on_press(self, update: Update, context: CallbackContext[Any, Any, Any, Any]) -> None:
        query = update.callback_query
        assert query
        toast = await self._answer(query, context)
        await self._gateway.toast(query.id, toast.text, alert=toast.alert)

    async def _answer(self, query: CallbackQuery, context: CallbackContext[Any, Any, Any, Any]) -> Toast:
        match await self._standing(query.from_user, context):
            case Standing.STRANGER:
                log.warning("user %d pressed a button and may not decide", query.from_user.id)
                return Toast(text=self._texts.toast_stranger, alert=True)
            case Standing.NAMELESS:
                return Toast(text=self._texts.toast_anonymous, alert=True)
            case Standing.UNKNOWN:
                return Toast(text=self._texts.toast_unreachable, alert=True)
            case Standing.MAY_DECIDE:
                pass
        parsed = parse_callback_data(query.data)
        if parsed is None:
            return Toast(text=self._texts.toast_outdated, alert=True)
        person = Person(id=query.from_user.id, name=one_line(query.from_user.full_name))
        decision = await self._store.transaction(lambda tx: self._decide(tx, query, *parsed, person))
        return self._toast(decision)

    async def _standing(self, user: User, context: CallbackContext[Any, Any, Any, Any]) -> Standing:
        """Fails closed: who is not known to be allowed is not."""
        if user.is_bot or user.id in NOBODY:
            return Standing.NAMELESS
        if user.id in self._settings.deciders:
            return Standing.MAY_DECIDE
        if not self._settings.everyone_decides:
            return Standing.STRANGER
        try:
            group = self._gateway.resolve(self._group_id)
            member = await context.bot.get_chat_member(group, user.id, read_timeout=5)
        except (TelegramError, KeyError):
            return Standing.UNKNOWN
        inside = member.status in INSIDE or (
            member.status == "restricted" and getattr(member, "is_member", False)
        )
        return Standing.MAY_DECIDE if inside else Standing.STRANGER

    def _decide(
        self, tx: BotTransaction, query: CallbackQuery, verdict: Verdict, token: str, person: Person
    ) -> Decision:
        proposal = self._proposal(tx, query, token)
        if proposal is None:
            return Decision(verdict=verdict, proposal=None, refusal=Refusal.UNKNOWN)
        if not hmac.compare_digest(proposal.token.encode(), token.encode()):  # the card moved on since
            return Decision(verdict=verdict, proposal=proposal, refusal=Refusal.OUTDATED)
        return self._engine.decide(tx, proposal, verdict, person)

    def _proposal(self, tx: BotTransaction, query: CallbackQuery, token: str) -> Proposal | None:
        """The proposal that the pressed message shows; None for a message that shows no card of ours.

        A message that we do not know of is believed only while it may be the card: its posting is not
        answered yet, or was answered by nobody, and its own buttons carry this token, which none can guess.
        """
        message = query.message
        if message is None:  # Telegram leaves it out for old messages: the token alone has to do
            return tx.by_token(token)
        if message.chat.id != self._gateway.resolve(self._group_id):
            return None
        card = tx.cards.of_message(message.chat.id, message.message_id)
        if card is not None:
            return tx.proposals.get(card.subject) if card.kind is CardKind.PROPOSAL else None
        proposal = tx.by_token(token)
        card = tx.cards.of(CardKind.PROPOSAL, proposal.id) if proposal else None
        if card is None or not _carries(message, query.data):
            return None
        if not card.maybe_posted and tx.cards.messages(card):
            return None
        tx.cards.adopt(card, message.chat.id, message.message_id)
        return proposal

    def _toast(self, decision: Decision) -> Toast:
        texts, proposal = self._texts, decision.proposal
        match decision.refusal:
            case None if decision.waits and decision.verdict.leads_to is ProposalState.APPROVED:
                return Toast(text=texts.toast_approved_waits, alert=True)
            case None if decision.verdict is Verdict.APPROVE:
                return Toast(text=texts.toast_approved)
            case None if decision.verdict is Verdict.DENY:
                return Toast(text=texts.toast_denied)
            case None:
                return Toast(text=texts.toast_settled)
            case Refusal.EXPIRED | Refusal.ALREADY_DECIDED | Refusal.OUTDATED if _expired(proposal):
                return Toast(text=texts.toast_expired, alert=True)
            case Refusal.ALREADY_DECIDED | Refusal.OUTDATED if proposal and proposal.decided_by:
                who, state = proposal.decided_by.name, texts.states[proposal.state]
                return Toast(text=texts.toast_already.format(who=who, state=state), alert=True)
            case _:
                return Toast(text=texts.toast_outdated, alert=True)


def _expired(proposal: Proposal | None) -> bool:
    return proposal is not None and proposal.state is ProposalState.EXPIRED


def _carries(message: MaybeInaccessibleMessage, data: str | None) -> bool:
    """Whether a button of the message, as Telegram knows it, has this callback data."""
    markup = message.reply_markup if isinstance(message, Message) else None
    rows = markup.inline_keyboard if markup else ()
    return any(button.callback_data == data for row in rows for button in row)
