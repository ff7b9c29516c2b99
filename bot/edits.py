"""Replies to cards, and to the question for a new text: other words for what waits, or why it was denied.

Also whatever is written in the topic of a lead, for that may be for the lead.

A reply never approves anything: it makes another version, which waits for a press like the first.
"""

import re
from dataclasses import dataclass
from html import escape
from typing import Any

from telegram import Message, Update
from telegram.ext import BaseHandler, CallbackContext, MessageHandler, filters

from agent.clock import Clock
from agent.engine import Engine
from agent.jsontext import clean
from agent.outgoing import CardKind
from agent.proposals import Decision, Proposal, ProposalState, TextFault
from agent.runs import Person
from bot.card_messages import card_of
from bot.desk import Desk, answer_to, person_of
from bot.handover import state_of
from bot.ports import BotStore, BotTransaction
from bot.talks import Talks, replied_to
from bot.texts import Texts
from bot.toasts import toast_of

Context = CallbackContext[Any, Any, Any, Any]
LONGEST_REMARK = 1000
_NUMBERED = re.compile(r"([1-9])(?:[.):]?\s+|(?==))(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What a reply says: `verbatim` is the new text itself, else it tells the agent what to change."""

    text: str
    verbatim: bool

    @classmethod
    def of(cls, said: str, *, verbatim: bool = False) -> "Words":
        """`= words` are the new text, wherever they are written."""
        marked = said.lstrip().startswith("=")
        return cls(text=said.lstrip().removeprefix("=").strip(), verbatim=verbatim or marked)


class Edits:
    """Handler of what operators write in the group without a command."""

    def __init__(
        self,
        *,
        store: BotStore,
        engine: Engine,
        desk: Desk,
        talks: Talks,
        texts: Texts,
        clock: Clock,
    ) -> None:
        self._store = store
        self._engine = engine
        self._desk = desk
        self._talks = talks
        self._texts = texts
        self._clock = clock

    def handlers(self) -> list[BaseHandler[Any, Any, Any]]:
        words = (filters.REPLY | filters.IS_TOPIC_MESSAGE) & ~filters.COMMAND & ~filters.StatusUpdate.ALL
        groups = filters.ChatType.GROUPS & filters.UpdateType.MESSAGE
        return [MessageHandler(groups & words, self._on_words)]

    async def _on_words(self, update: Update, _: Context) -> None:
        asked = self._desk.asked(update)
        if asked is None:
            return
        message, user = asked
        person = person_of(user)

        def take(tx: BotTransaction) -> None:
            tx.inbox.done(update.update_id)  # with what it does, so that no crash has it done twice
            answer = self._take(tx, message, person)
            if answer is not None:
                tx.notes.add(answer_to(message, answer), self._clock())

        await self._store.transaction(take)

    def _take(self, tx: BotTransaction, message: Message, person: Person) -> str | None:
        """Do what the words say; the answer to them, None for what is not for us."""
        replied, said = replied_to(message), str(clean(message.text or ""))
        question = tx.notes.question(message.chat_id, replied.message_id) if replied else None
        if question is None and (talked := self._talks.reply(tx, message, person)) is not None:
            return talked or None
        if replied is None or not said:
            return None
        if question is not None:
            proposal = tx.proposals.get(question.proposal_id)
            if proposal.token != question.token:  # another version, or decided, since it was asked
                return self._over(proposal)
            return self._change(tx, proposal, Words.of(said, verbatim=True), person)
        card = card_of(tx, replied)
        if card is None or card.kind is not CardKind.PROPOSAL:
            return None
        return self._reply_to_card(tx, tx.proposals.of_card(card.subject), said, person)

    def _reply_to_card(
        self, tx: BotTransaction, shown: list[Proposal], said: str, person: Person
    ) -> str | None:
        number = _NUMBERED.fullmatch(said) if len(shown) > 1 else None
        if number is not None and int(number[1]) <= len(shown):
            shown, said = [shown[int(number[1]) - 1]], number[2]
        waiting = [item for item in shown if item.state is ProposalState.PENDING and item.text is not None]
        denied = [item for item in shown if item.state is ProposalState.DENIED and item.reason is None]
        match waiting, denied:
            case [proposal], []:
                return self._change(tx, proposal, Words.of(said), person)
            case [], [proposal]:
                decision = self._engine.approvals.give_reason(tx, proposal, said[:LONGEST_REMARK], person)
                return toast_of(decision, self._texts, self._clock()).text
            case [], []:
                return self._over(shown[0])
            case _:
                return self._texts.edit_which

    def _change(self, tx: BotTransaction, proposal: Proposal, words: Words, person: Person) -> str:
        approvals, name = self._engine.approvals, proposal.proposal_id
        if words.verbatim:
            decision = approvals.edit(tx, proposal, words.text, person)
        else:
            decision = approvals.rewrite(tx, proposal, words.text[:LONGEST_REMARK], person)
        if decision.fault is not None:
            return self._fault(decision)
        current = decision.proposal or proposal
        if decision.refusal is not None:
            return self._over(current)
        done = self._texts.edit_done if words.verbatim else self._texts.edit_rewrite
        return done.format(proposal=name, version=current.version)

    def _fault(self, decision: Decision) -> str:
        match decision.fault:
            case TextFault.TOO_SHORT:
                return self._texts.edit_too_short.format(bound=decision.bound)
            case TextFault.TOO_LONG:
                return self._texts.edit_too_long.format(bound=decision.bound)
            case _:
                return self._texts.edit_refused

    def _over(self, proposal: Proposal) -> str:
        state = state_of(proposal, self._texts)
        return self._texts.edit_over.format(proposal=escape(proposal.proposal_id), state=state)
