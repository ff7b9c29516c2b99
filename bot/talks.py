"""Conversations that a person took over: the lead's words come to the group, replies there go to the lead.

The agent is silent meanwhile.  What a person writes leaves as it stands: they are the approval.
"""

from html import escape

from telegram import Message

from agent.clock import Clock
from agent.contacts import Contact
from agent.engine import Engine
from agent.journal import Kind, Record
from agent.jsontext import clean
from agent.outgoing import CardKind, Lane, Note
from agent.runs import Person, Run
from bot.cards import LIMIT, Code, cut
from bot.gateway import Gateway, posted
from bot.ports import BotTransaction
from bot.texts import Texts
from bot.toasts import Toast


class Talks:
    """Taking over, handing back, and what is said in between."""

    def __init__(
        self,
        *,
        engine: Engine,
        gateway: Gateway,
        texts: Texts,
        group_id: int,
        clock: Clock,
        topics: bool = False,
    ) -> None:
        """topics: each lead has a topic of the group, where this can be."""
        self._engine = engine
        self._gateway = gateway
        self._texts = texts
        self._group_id = group_id
        self._clock = clock
        self._taken = texts.toast_taken_topic if topics else texts.toast_taken

    def press(
        self, tx: BotTransaction, message: Message | None, code: Code, number: str, person: Person
    ) -> Toast:
        """Take the lead of a run over, or hand it back; the run is the one that the pressed card shows."""
        run = self._run_of(tx, message) if message is not None else None
        if run is None or str(run.id) != number:
            return Toast(text=self._texts.toast_outdated, alert=True)
        contact = tx.contacts.get(run.contact_id)
        if code is Code.HAND_BACK:
            return self._hand_back(tx, contact, run)
        return self._take_over(tx, contact, run, person)

    def _take_over(self, tx: BotTransaction, contact: Contact, run: Run, person: Person) -> Toast:
        if contact.taken_by is not None and contact.taken_by.id == person.id:
            return Toast(text=self._taken)
        open_run = tx.contacts.open_run(contact.id)
        if open_run is not None and not self._engine.approvals.take_over(tx, open_run, person):
            return Toast(text=self._texts.toast_leaving, alert=True)
        latest = open_run or tx.contacts.latest_run(contact.id) or run
        tx.contacts.take_over(contact.id, person)
        tx.contacts.read_by_people(latest)
        self._note(tx, latest, "taken over", person)
        tx.alert(latest.id)
        tx.alert(run.id)
        return Toast(text=self._taken)

    def _hand_back(self, tx: BotTransaction, contact: Contact, run: Run) -> Toast:
        if contact.taken_by is not None:
            tx.contacts.take_over(contact.id, None)
            self._note(tx, run, "handed back", contact.taken_by)
            latest = tx.contacts.latest_run(contact.id) or run
            tx.alert(latest.id)
            tx.alert(run.id)
        return Toast(text=self._texts.toast_handed_back)

    def pass_on(self, tx: BotTransaction, contact: Contact, words: str) -> None:
        """Show a lead's words to who talks with them, below the card of their run."""
        run = tx.contacts.latest_run(contact.id)
        if run is None:
            return
        tx.contacts.read_by_people(run)
        link = tx.cards.link(CardKind.RUN, run.id)
        note = Note(
            chat_id=self._gateway.resolve(self._group_id),
            text=_passed_on(contact.name, words),
            lane=Lane.CARDS,
            reply_to=link.message_id if link else None,
            silent=False,
            talks_with=contact.id,
        )
        tx.notes.add(note, self._clock())

    def reply(self, tx: BotTransaction, message: Message, person: Person) -> str | None:
        """Bring a reply in the group to the lead it is for; an answer where it was not, "" where it is.

        None where it belongs to no conversation that was taken over.  In the lead's topic whatever the person
        writes who took it over is for the lead, apart from replies to colleagues; what others write is not.
        """
        meant = self._meant(tx, message, person)
        if len(meant) > 1:
            return self._texts.talk_which
        contact = next(iter(meant), None)
        if contact is None or contact.taken_by is None or contact.telegram_id is None:
            return None
        if contact.taken_by.id != person.id:
            if replied_to(message) is None:
                return None
            return self._texts.talk_other.format(who=escape(contact.taken_by.name, quote=False))
        text = str(clean(message.text or "")).strip()
        run = tx.contacts.latest_run(contact.id)
        if not text or run is None or message.forward_origin is not None:  # those are not the person's words
            return self._texts.talk_text_only
        at = self._clock()
        tx.contacts.add_answer(run, chat_id=message.chat_id, message_id=message.message_id, text=text, at=at)
        tx.notes.add(
            Note(
                chat_id=contact.telegram_id,
                text=text,
                lane=Lane.CARDS,
                silent=False,
                once=True,
                relayed_from=message.message_id,
            ),
            at,
        )
        self._note(tx, run, "relayed", person)
        return ""

    def _meant(self, tx: BotTransaction, message: Message, person: Person) -> list[Contact]:
        """For whom a message may be; several where the person talks with more than one in the topic."""
        replied = replied_to(message)
        contact = self._contact_of(tx, replied) if replied else None
        if contact is not None:
            return [contact]
        to_colleague = message.external_reply is not None or (replied is not None and not _is_ours(replied))
        return [] if to_colleague else self._taken_in(tx, message, person)

    def _taken_in(self, tx: BotTransaction, message: Message, person: Person) -> list[Contact]:
        """Of those to whom the topic belongs in which a message stands, who talk with the person.

        If none do, one who talks with somebody else.
        """
        here = posted(message)
        if here.thread_id is None:
            return []
        contact_id = tx.topics.contact_in(here.chat_id, here.thread_id)
        family = (
            [view.contact for view in tx.people.of(contact_id).contacts] if contact_id is not None else []
        )
        taken = [contact for contact in family if contact.taken_by is not None]
        own = [contact for contact in taken if contact.taken_by and contact.taken_by.id == person.id]
        return own or taken[:1]

    def _contact_of(self, tx: BotTransaction, replied: Message) -> Contact | None:
        """Of whom a message in the group is: words that were passed on, or a card of one of their runs."""
        contact_id = tx.notes.talks_with(replied.chat.id, replied.message_id)
        if contact_id is None:
            run = self._run_of(tx, replied)
            contact_id = run.contact_id if run else None
        return tx.contacts.get(contact_id) if contact_id is not None else None

    def _run_of(self, tx: BotTransaction, message: Message) -> Run | None:
        """The run that a card of ours shows."""
        if message.chat.id != self._gateway.resolve(self._group_id):
            return None
        card = tx.cards.of_message(message.chat.id, message.message_id)
        if card is None or card.kind not in (CardKind.RUN, CardKind.PROPOSAL):
            return None
        of_run = card.kind is CardKind.RUN
        return tx.runs.get(card.subject if of_run else tx.proposals.get(card.subject).run_id)

    def _note(self, tx: BotTransaction, run: Run, outcome: str, person: Person) -> None:
        """Who talks with the lead stands in the journal; what was said does not."""
        record = Record.of_run(run, outcome, self._clock(), note=str(person), kind=Kind.TALK)
        tx.record(run.id, record)


def replied_to(message: Message) -> Message | None:
    """The message that a person replied to; what stands alone in a topic replies to what opened the topic."""
    replied = message.reply_to_message
    return replied if replied is None or replied.forum_topic_created is None else None


def _is_ours(message: Message) -> bool:
    return message.from_user is not None and message.from_user.id == message.get_bot().id


def _passed_on(name: str, words: str) -> str:
    """A lead's words as the group reads them; shortened where escaping makes them too long."""
    shown = [
        f"💬 <b>{escape(name, quote=False)}</b>:\n{escape(cut(words, longest), quote=False)}"
        for longest in (3000, 600)
    ]
    return next((text for text in shown if len(text) <= LIMIT), shown[-1])
