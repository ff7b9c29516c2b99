"""Contacts, what they wrote, and the bursts that become leads."""

from dataclasses import replace

from agent.contacts import Contact
from agent.deals import Utterance
from agent.runs import Lead, Run
from storage.commit import Wakes
from storage.events import Events
from storage.runs import run_of
from storage.sql import Row, Sql


def contact_of(row: Row) -> Contact:
    return Contact(
        id=row["id"],
        telegram_id=row["telegram_id"],
        name=row["name"],
        username=row["username"],
        phone=row["phone"],
        language=row["language"],
        acknowledged_at=row["acknowledged_at"],
    )


class Contacts:
    """One contact per Telegram user.  Unread messages wait for a lead, or for the contact's open run."""

    def __init__(self, sql: Sql, wakes: Wakes, events: Events) -> None:
        self._sql = sql
        self._wakes = wakes
        self._events = events

    def upsert(
        self, *, telegram_id: int, name: str, username: str | None, language: str | None, at: int
    ) -> Contact:
        row = self._sql.one(
            "upsert_contact", telegram_id=telegram_id, name=name, username=username, language=language, at=at
        )
        return contact_of(row)

    def set_phone(self, contact: Contact, phone: str) -> None:
        self._sql.run("set_contact_phone", id=contact.id, phone=phone)

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

    def edit_unread(self, chat_id: int, message_id: int, text: str) -> bool:
        """Take an edit of a message that nobody has read yet; False if it was read."""
        return self._sql.run("edit_unread_message", chat_id=chat_id, message_id=message_id, text=text) > 0

    def open_run(self, contact_id: int) -> Run | None:
        """The run that works for the contact now."""
        row = self._sql.maybe("open_run_of_contact", contact_id=contact_id)
        return run_of(row) if row else None

    def unread(self, contact_id: int) -> list[Utterance]:
        rows = self._sql.all("unread_messages", contact_id=contact_id)
        return [Utterance(speaker="lead", kind=row["kind"], text=row["text"], at=row["at"]) for row in rows]

    def open_burst(self, contact: Contact, at: int, *, quiet: int, longest: int) -> None:
        """Wait `quiet` ms for more words, but at most `longest` ms after the first."""
        self._sql.run("open_burst", id=contact.id, at=at, quiet=quiet, longest=longest)
        self._wakes.commit.timed = True

    def due_bursts(self, at: int) -> list[Contact]:
        return [contact_of(row) for row in self._sql.all("due_bursts", at=at)]

    def close_burst(self, contact: Contact, at: int) -> Lead | None:
        """One lead of all that is unread; None if there is nothing, or an open run will read it."""
        self._sql.run("close_burst", id=contact.id)
        unread = self.unread(contact.id)
        if not unread or self.open_run(contact.id):
            return None
        words = [said for said in unread if said.kind != "own_phone"] or unread  # the phone has its own field
        message = "\n".join(said.text for said in words)
        lead = Lead(
            id=0,
            contact_id=contact.id,
            source="telegram",
            name=contact.name,
            phone=contact.phone,
            message=message,
            telegram_id=contact.telegram_id,
        )
        added = self._add_lead(lead, at)
        self._events.lead_created(added, at)
        self._sql.run("read_messages", contact_id=contact.id, lead_id=added.id)
        return added

    def synthetic_lead(self, source: str, *, name: str, message: str, at: int) -> Lead:
        """A lead that no person sent: all those of one source have one contact, which nothing can reach."""
        contact = self._sql.one("synthetic_contact", name=source, at=at)
        lead = Lead(id=0, contact_id=contact["id"], source=source, name=name, phone=None, message=message)
        return self._add_lead(lead, at)

    def _add_lead(self, lead: Lead, at: int) -> Lead:
        row = self._sql.one(
            "add_lead",
            contact_id=lead.contact_id,
            source=lead.source,
            name=lead.name,
            phone=lead.phone,
            message=lead.message,
            at=at,
        )
        return replace(lead, id=row["id"])
