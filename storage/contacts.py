"""Contacts, what they wrote, and the bursts that become leads."""

from collections.abc import Sequence

from agent.contacts import Contact
from agent.phones import Confidence, Phone
from agent.runs import TELEGRAM, Lead, Person, Run
from storage.commit import Wakes
from storage.events import Events
from storage.identities import Identities
from storage.leads import Leads
from storage.merges import contact_of
from storage.persons import columns_of
from storage.runs import run_of
from storage.sql import Row, Sql

# The chat of words that came with a website form; the message's id there is the lead's.  Telegram's own chats
# have ids of at most 52 bits (Bot API).
FORMS = -(2**62)


class Contacts:
    """People.  Unread messages wait for a lead, or for the contact's open run."""

    def __init__(self, sql: Sql, wakes: Wakes, leads: Leads, events: Events, identities: Identities) -> None:
        self._sql = sql
        self._wakes = wakes
        self._leads = leads
        self._events = events
        self._identities = identities

    def upsert(
        self, *, telegram_id: int, name: str, username: str | None, language: str | None, at: int
    ) -> Contact:
        row = self._sql.one(
            "upsert_contact", telegram_id=telegram_id, name=name, username=username, language=language, at=at
        )
        return contact_of(row)

    def identify(
        self, *, name: str, phones: Sequence[Phone], emails: Sequence[str], source: str, at: int
    ) -> Contact:
        """The contact of somebody who filled in a form; see storage.identities."""
        return self._identities.identify(name=name, phones=phones, emails=emails, source=source, at=at)

    def get(self, id: int) -> Contact:
        return contact_of(self._sql.one("contact", id=id))

    def take_over(self, contact_id: int, person: Person | None) -> None:
        """Have a person talk with the contact; with None the agent does again."""
        self._sql.run(
            "take_over",
            id=contact_id,
            **columns_of(person),
        )

    def latest_run(self, contact_id: int) -> Run | None:
        """The run that worked for the contact last, over or not."""
        row = self._sql.maybe("latest_run_of_contact", contact_id=contact_id)
        return run_of(row) if row else None

    def add_answer(self, run: Run, *, chat_id: int, message_id: int, text: str, at: int) -> None:
        """Keep what one of the company's people wrote to the contact."""
        self._sql.run(
            "add_answer",
            contact_id=run.contact_id,
            lead_id=run.lead_id,
            chat_id=chat_id,
            message_id=message_id,
            text=text,
            at=at,
        )

    def read_by_people(self, run: Run) -> None:
        """What the contact has written is in people's hands: no run will read it as new."""
        self._sql.run("read_messages", contact_id=run.contact_id, lead_id=run.lead_id)

    def set_phone(self, contact: Contact, phone: str, at: int) -> None:
        """Telegram vouches for it, in E.164; see storage.identities."""
        self._identities.vouch(contact, phone, at)

    def set_blocked(self, telegram_id: int, blocked: bool) -> int | None:
        """The id of the contact, if there is one."""
        row = self._sql.maybe("set_contact_blocked", telegram_id=telegram_id, blocked=blocked)
        return int(row["id"]) if row else None

    def acknowledge(self, contact: Contact, at: int) -> None:
        self._sql.run("set_contact_acknowledged", id=contact.id, at=at)

    def add_message(
        self, contact: Contact, *, chat_id: int, message_id: int, kind: str, text: str, at: int
    ) -> bool:
        """Whether it is new: Telegram may deliver an update again."""
        changed = self._sql.run(
            "add_message",
            contact_id=contact.id,
            chat_id=chat_id,
            message_id=message_id,
            kind=kind,
            text=text,
            at=at,
        )
        return changed > 0

    def add_form(self, lead: Lead, text: str, at: int, *, read: bool) -> None:
        """What a new lead wrote in a form; read: by its own run, else it waits like any other words."""
        self._events.lead_created(lead, at)
        self._sql.run(
            "add_message",
            contact_id=lead.contact_id,
            chat_id=FORMS,
            message_id=lead.id,
            kind="form",
            text=text,
            at=at,
        )
        if read:
            self._sql.run("read_form", chat_id=FORMS, message_id=lead.id, lead_id=lead.id)

    def edit_unread(self, chat_id: int, message_id: int, text: str) -> bool:
        """Take an edit of a message that nobody has read yet; False if it was read."""
        return self._sql.run("edit_unread_message", chat_id=chat_id, message_id=message_id, text=text) > 0

    def open_run(self, contact_id: int) -> Run | None:
        """The run that works for the contact now."""
        row = self._sql.maybe("open_run_of_contact", contact_id=contact_id)
        return run_of(row) if row else None

    def open_burst(self, contact: Contact, at: int, *, quiet: int, longest: int) -> None:
        """Wait `quiet` ms for more words, but at most `longest` ms after the first."""
        self._sql.run("open_burst", id=contact.id, at=at, quiet=quiet, longest=longest)
        self._wakes.commit.timed = True

    def due_bursts(self, at: int) -> list[Contact]:
        """Those that are over: no update that came before their end is still to be handled."""
        return [contact_of(row) for row in self._sql.all("due_bursts", at=at)]

    def close_burst(self, contact: Contact, at: int) -> Lead | None:
        """The lead to work on now that nobody has read these words; None if an open run will read them.

        The first words make it: those of a form are a lead already, those of the chat make one together.
        What is left unread is for the run of that lead.
        """
        self._sql.run("close_burst", id=contact.id)
        unread = self._sql.all("unread_messages", contact_id=contact.id)
        if not unread or self.open_run(contact.id):
            return None
        if unread[0]["chat_id"] == FORMS:
            lead, taken = self._leads.get(unread[0]["message_id"]), unread[:1]
        else:
            taken = [row for row in unread if row["chat_id"] != FORMS]
            lead = self._leads.add(_chat_lead(contact, taken), at)
            self._events.lead_created(lead, at)
        for row in taken:
            self._sql.run("read_message", id=row["id"], lead_id=lead.id)
        return lead

    def synthetic_lead(self, source: str, *, name: str, message: str, at: int) -> Lead:
        """A lead that no person sent: all those of one source have one contact, which nothing can reach."""
        contact = self._sql.one("synthetic_contact", name=source, at=at)
        lead = Lead(id=0, contact_id=contact["id"], source=source, name=name, phone=None, message=message)
        return self._leads.add(lead, at)


def _chat_lead(contact: Contact, rows: list[Row]) -> Lead:
    words = [row["text"] for row in rows if row["kind"] != "own_phone"]  # the phone has its own field
    phone = contact.phone
    shared = Phone(raw=phone, e164=phone, extension=None, confidence=Confidence.SURE) if phone else None
    return Lead(
        id=0,
        contact_id=contact.id,
        source=TELEGRAM,
        name=contact.name,
        phone=phone,
        message="\n".join(words or [row["text"] for row in rows]),
        telegram_id=contact.telegram_id,
        phones=(shared,) if shared else (),
    )
