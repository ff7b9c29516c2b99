"""What another CRM is told, and what it has to be able to do: find, keep and note."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from agent.contacts import IdentifierKind, KnownBy
from agent.crm_link import Closed
from agent.deals import Change, DealView, Stage
from agent.errors import NotAllowed
from agent.jsontext import JsonObject
from agent.people import PersonView
from bot.cards import CardStyle


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactRecord:
    """A person; `name` is C-1.  phones, emails: the surest first.  telegram: the name of the account.

    verified: those of the phones and e-mails that somebody vouches for.
    """

    name: str
    full_name: str
    phones: Sequence[str]
    emails: Sequence[str]
    verified: frozenset[str]
    telegram: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DealRecord:
    """A deal; `name` is D-12, by which it is found again there."""

    name: str
    title: str
    stage: Stage
    comments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteRecord:
    """A note; `name` is N-3."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What became of a record there: its id, and what was said of it, in the words of that CRM."""

    id: str
    sent: JsonObject


class CrmClosed(NotAllowed):
    """The other CRM takes nothing."""

    def __init__(self, closed: Closed, message: str) -> None:
        super().__init__(message)
        self.closed = closed


class OutsideCrm(Protocol):
    """Raises ChannelError and nothing else.

    Saving again is harmless: what an earlier try has left there is found by its name, and of what is `known`
    only that is said which was not `sent` before, so that what people changed there stays.
    """

    async def save_contact(self, contact: ContactRecord, known: Saved | None) -> Saved: ...
    async def save_deal(self, deal: DealRecord, contact: Saved, known: Saved | None) -> Saved: ...
    async def save_note(self, note: NoteRecord, deal: Saved) -> Saved: ...
    async def check(self) -> str:
        """A few words if everything is as it should be."""

    async def close(self) -> None: ...


def contact_record(person: PersonView) -> ContactRecord:
    """What is vouched for, and what the standing contact itself gave: others may have typed the rest."""
    own, *others = person.contacts
    known = [*own.known, *(item for view in others for item in view.known if item.verified)]
    return ContactRecord(
        name=person.contact.contact_id,
        full_name=person.contact.name,
        phones=_values(known, IdentifierKind.PHONE),
        emails=_values(known, IdentifierKind.EMAIL),
        verified=frozenset(item.identifier.value for item in known if item.verified),
        telegram=next((view.contact.username for view in person.contacts if view.contact.username), None),
    )


def _values(known: Sequence[KnownBy], kind: IdentifierKind) -> list[str]:
    found = sorted(
        (item for item in known if item.identifier.kind is kind), key=lambda item: not item.verified
    )
    return list(dict.fromkeys(item.identifier.value for item in found))


def deal_record(view: DealView, style: CardStyle) -> DealRecord:
    """The deal with the words of its lead, and how that can be reached."""
    deal, lead, texts = view.deal, view.lead, style.texts.crm
    reached = [lead.phone, *lead.emails, *(phone.e164 or phone.raw for phone in lead.phones)]
    lines = [
        deal.summary,
        lead.message,
        texts.owner.format(who=deal.owner.name if deal.owner else texts.nobody),
        ", ".join(dict.fromkeys(address for address in reached if address)),
        f"{lead.lead_id} · {lead.source} · {style.time(deal.created_at)}",
    ]
    return DealRecord(
        name=deal.deal_id,
        title=f"{deal.deal_id} · {texts.services[deal.service]} · {lead.name}"[:200],
        stage=deal.stage,
        comments="\n".join(line for line in lines if line),
    )


def note_record(name: str, note: Change, style: CardStyle) -> NoteRecord:
    return NoteRecord(name=name, text=f"{note.after}\n{note.by.name}, {style.time(note.at)}")
