"""Reminders of what waits for people, and escalations to the next person, as notes in the group.

Written in the transaction that sets when the next one is due, so a crash loses none and repeats none.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from telegram import Bot
from telegram.error import TelegramError

from agent.clock import Clock
from agent.outgoing import CardKind, Note, Posted
from agent.proposals import Proposal
from agent.reminding import Reminding
from bot.cards import CardStyle, fitting, linked, mention
from bot.gateway import Gateway
from bot.ports import BotTransaction
from bot.settings import Settings

log = logging.getLogger(__name__)
# Letters of a digest that are kept for who is called on and for the count of the rest.
ROOM_FOR_NAMES = 1200
LONGEST_NAME = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A card to remind of, by its first proposal that is due, and the message that shows it."""

    proposal: Proposal
    name: str
    message: Posted | None


class Reminders:
    """What is due by time among pending proposals; see agent.reminding.  Nobody is woken in quiet hours."""

    def __init__(
        self,
        *,
        reminding: Reminding,
        settings: Settings,
        gateway: Gateway,
        group_id: int,
        style: CardStyle,
        clock: Clock,
    ) -> None:
        self._reminding = reminding
        self._called_on = settings.called_on
        self._quiet = settings.quiet
        self._gateway = gateway
        self._group_id = group_id
        self._style = style
        self._clock = clock
        self._names: dict[int, str] = {}

    async def learn_names(self, bot: Bot) -> None:
        """Of those who may be called on, as far as Telegram tells; the others are called by number."""
        group = self._gateway.resolve(self._group_id)
        for id in {id for people in self._called_on for id in people} if self._reminding.escalate else ():
            try:
                member = await bot.get_chat_member(group, id)
            except (TelegramError, KeyError):
                log.warning("user %d is to be called on, and is not known in the operators' group", id)
            else:
                self._names[id] = member.user.full_name

    def remind(self, tx: BotTransaction) -> None:
        """Tell the group, in one note, of all that is due; in quiet hours put it off to their end."""
        at = self._clock()
        if not tx.proposals.to_remind(at):
            return
        end = self._quiet.until(at) if self._quiet else None
        if end is not None:
            tx.proposals.put_off_reminders(at, end)
            return
        told, people = self._tell(tx, at)
        if told:
            tx.notes.add(self._note(tx, told, people, at), at)

    def _tell(self, tx: BotTransaction, at: int) -> tuple[list[Proposal], list[tuple[int, ...]]]:
        """Set when all that is due is due next; what is told of now, and who is called on."""
        told: list[Proposal] = []
        people: list[tuple[int, ...]] = []
        for proposal in tx.proposals.to_remind(at + self._reminding.together):
            since, due = proposal.pending_since, max(at, proposal.remind_at or at)
            escalates = self._reminding.escalates(since, due, proposal.escalated)
            escalated = proposal.escalated + escalates
            remind_at = self._reminding.after(since, due, escalated)
            tx.proposals.reminded(proposal, remind_at, escalated=escalated)
            if escalates:
                people.append(self._called_on[proposal.escalated])
            if escalates or self._reminding.remind:
                told.append(proposal)
        return told, list(dict.fromkeys(people))

    def _note(
        self, tx: BotTransaction, told: Sequence[Proposal], people: list[tuple[int, ...]], at: int
    ) -> Note:
        group = self._gateway.resolve(self._group_id)
        waiting = _cards(tx, told)
        first = waiting[0].message if len(waiting) == 1 else None
        return Note(
            chat_id=group,
            text=self._text(waiting, people, at),
            reply_to=first.message_id if first and first.chat_id == group else None,
            silent=False,
        )

    def _text(self, waiting: list[Waiting], people: list[tuple[int, ...]], at: int) -> str:
        texts = self._style.texts
        if len(waiting) == 1:
            lines = [self._line(texts.reminder, waiting[0], at)]
        else:
            title = texts.reminders.format(count=len(waiting))
            rows = [self._line(texts.reminder_line, item, at) for item in waiting]
            lines = [title, fitting(rows, texts.pending_more.format, kept=ROOM_FOR_NAMES)]
        return "\n".join([*lines, *(texts.escalation.format(who=self._who(ids)) for ids in people)])

    def _line(self, words: str, item: Waiting, at: int) -> str:
        since = item.proposal.pending_since
        return words.format(
            proposal=linked(item.proposal.proposal_id, item.message),
            name=escape(item.name[:LONGEST_NAME], quote=False),
            time=self._style.time(since),
            age=self._style.age(at - since),
        )

    def _who(self, ids: tuple[int, ...]) -> str:
        """Mentions that ring; Telegram notifies those who are in the group."""
        mentions = (mention(id, self._names.get(id, str(id))[:LONGEST_NAME]) for id in ids)
        return ", ".join(mentions) or self._style.texts.everybody


def _cards(tx: BotTransaction, told: Sequence[Proposal]) -> list[Waiting]:
    """One of each card: what is decided together is told of together."""
    first = {proposal.card: proposal for proposal in reversed(told)}
    return [
        Waiting(
            proposal=proposal,
            name=tx.runs.lead(tx.runs.get(proposal.run_id)).name,
            message=tx.cards.link(CardKind.PROPOSAL, card),
        )
        for card, proposal in reversed(first.items())
    ]
