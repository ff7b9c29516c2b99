"""Presses on cards: token, chat, message and person are checked, then one compare-and-set decides."""

import hmac
from typing import Any

from telegram import CallbackQuery, Message, Update
from telegram.ext import BaseHandler, CallbackQueryHandler

from agent.clock import Clock
from agent.engine import Engine
from agent.outgoing import Card, CardKind, Lane, Note, Question
from agent.proposals import Correction, Decision, DenialReason, Proposal, ProposalState, Refusal, Verdict
from agent.runs import Person
from bot.card_messages import card_of
from bot.cards import Code, mention, parse_callback_data
from bot.gateway import Gateway
from bot.ports import BotTransaction
from bot.presses import Context, Presses
from bot.proposal_card import seal
from bot.talks import Talks
from bot.texts import Texts
from bot.toasts import Toast, toast_of


class Approvals:
    """Handler of presses."""

    def __init__(
        self,
        *,
        engine: Engine,
        gateway: Gateway,
        presses: Presses,
        texts: Texts,
        group_id: int,
        talks: Talks,
        clock: Clock,
    ) -> None:
        self._engine = engine
        self._gateway = gateway
        self._presses = presses
        self._texts = texts
        self._group_id = group_id
        self._talks = talks
        self._clock = clock

    def handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        return [CallbackQueryHandler(self._on_press)]

    async def _on_press(self, update: Update, context: Context) -> None:
        query = update.callback_query
        assert query
        await self._presses.answer(update, context, lambda tx, person: self._press(tx, query, person))

    def _press(self, tx: BotTransaction, query: CallbackQuery, person: Person) -> Toast:
        """What a press of an allowed person does, told in a toast."""
        parsed = parse_callback_data(query.data)
        if parsed is None:
            return Toast(text=self._texts.toast_outdated, alert=True)
        code, token = parsed
        if code in (Code.TAKE_OVER, Code.HAND_BACK):
            message = query.message if isinstance(query.message, Message) else None
            return self._talks.press(tx, message, code, token, person)
        if code is Code.APPROVE_ALL:
            return self._approve_all(tx, query, token, person)
        proposal = self._proposal(tx, query, token)
        verdict = code.verdict or Correction.EDIT
        if proposal is None:
            return self._told(Decision(verdict=verdict, proposal=None, refusal=Refusal.UNKNOWN))
        if not hmac.compare_digest(proposal.token.encode(), token.encode()):  # the card moved on since
            return self._told(Decision(verdict=verdict, proposal=proposal, refusal=Refusal.OUTDATED))
        if code is Code.EDIT:
            return self._ask(tx, query, proposal, person)
        if code.reason is not None:
            decision = self._engine.approvals.give_reason(tx, proposal, code.reason, person)
            if decision.refusal is None and code.reason is DenialReason.SPAM:
                tx.waiting.mark(tx.runs.lead(tx.runs.get(proposal.run_id)), spam=True)
            return self._told(decision)
        assert isinstance(verdict, Verdict)
        return self._told(self._engine.approvals.decide(tx, proposal, verdict, person))

    def _approve_all(self, tx: BotTransaction, query: CallbackQuery, sealed: str, person: Person) -> Toast:
        """Approve what waits on a card, if it still is what the card showed."""
        card = self._card(tx, query)
        shown = tx.proposals.of_card(card.subject) if card else []
        unchanged = hmac.compare_digest(seal(shown).encode(), sealed.encode())
        waiting = [item for item in shown if item.state is ProposalState.PENDING and unchanged]
        decisions = [self._engine.approvals.decide(tx, item, Verdict.APPROVE, person) for item in waiting]
        refused = next((decision for decision in decisions if decision.refusal is not None), None)
        if refused is not None:
            return self._told(refused)
        if not decisions:
            return Toast(text=self._texts.toast_outdated, alert=True)
        return Toast(text=self._texts.toast_all.format(count=len(decisions)))

    def _ask(self, tx: BotTransaction, query: CallbackQuery, proposal: Proposal, person: Person) -> Toast:
        """Ask the person for the new text, in a message that is answered by a reply (Bot API, ForceReply)."""
        if proposal.state is not ProposalState.PENDING or proposal.text is None:
            refusal = Refusal.ALREADY_DECIDED
            return self._told(Decision(verdict=Correction.EDIT, proposal=proposal, refusal=refusal))
        who = mention(person.id, person.name)
        note = Note(
            chat_id=self._gateway.resolve(self._group_id),
            text=self._texts.edit_ask.format(who=who, proposal=proposal.proposal_id),
            lane=Lane.CARDS,
            reply_to=query.message.message_id if query.message else None,
            question=Question(proposal_id=proposal.id, token=proposal.token),
        )
        tx.notes.add(note, self._clock())
        return Toast(text=self._texts.toast_edit)

    def _told(self, decision: Decision) -> Toast:
        return toast_of(decision, self._texts, self._clock())

    def _proposal(self, tx: BotTransaction, query: CallbackQuery, token: str) -> Proposal | None:
        """The proposal that the pressed message shows; None for a message that shows no card of ours."""
        proposal = tx.by_token(token)
        if query.message is None:  # Telegram leaves it out for old messages: the token alone has to do
            return proposal
        card = self._card(tx, query)
        shows = card is not None and proposal is not None and proposal.card == card.subject
        return proposal if shows else None

    def _card(self, tx: BotTransaction, query: CallbackQuery) -> Card | None:
        """The card of proposals that the pressed message is."""
        message = query.message
        if message is None or message.chat.id != self._gateway.resolve(self._group_id):
            return None
        card = card_of(tx, message)
        return card if card is not None and card.kind is CardKind.PROPOSAL else None
