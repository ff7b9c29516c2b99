"""People who fill in forms, and those who share their phone in Telegram; what is stored of them."""

from __future__ import annotations

from agent.channels import ChannelKind
from agent.contacts import Contact, Merge, MergeReason
from agent.emails import emails_in
from agent.leads.agent import NAME, LeadAgent
from agent.people import MergeView, PersonView
from agent.phones import phones_in
from agent.runs import Lead, Person, Run
from bot.channels.router import Channels
from storage.transaction import SqliteTransaction
from tests.company import Company

DANA_PHONE = "+77015550142"
TIMUR_PHONE = "+77026660143"


def identify(
    tx: SqliteTransaction, *, phone: str = "", email: str = "", name: str = "Dana", at: int = 1
) -> Contact:
    """The contact of who fills in a form with these words."""
    return tx.contacts.identify(
        name=name, phones=phones_in(phone, "KZ"), emails=emails_in(email), source="site", at=at
    )


async def filled_in(company: Company, *, phone: str = "", email: str = "", name: str = "Dana") -> Contact:
    return await company.store.transaction(
        lambda tx: identify(tx, phone=phone, email=email, name=name, at=company.clock())
    )


async def posted(
    company: Company, message: str, *, phone: str = "", email: str = "", name: str = "Dana"
) -> Run:
    """A lead from a website form, with its run."""

    def post(tx: SqliteTransaction) -> Run:
        contact, at = identify(tx, phone=phone, email=email, name=name, at=company.clock()), company.clock()
        lead = Lead(
            id=0,
            contact_id=contact.id,
            source="site",
            name=name,
            phone=phone or None,
            message=message,
            phones=tuple(phones_in(phone, "KZ")),
            emails=tuple(emails_in(email)),
        )
        stored = tx.leads.add(lead, at)
        tx.contacts.add_form(stored, message, at, read=True)
        return company.engine.start(tx, stored, NAME)

    return await company.store.transaction(post)


async def shared(company: Company, telegram_id: int, phone: str, name: str = "Dana") -> Contact:
    """The contact of a Telegram user who shares the own phone."""

    def share(tx: SqliteTransaction) -> Contact:
        at = company.clock()
        contact = tx.contacts.upsert(telegram_id=telegram_id, name=name, username=None, language=None, at=at)
        tx.contacts.set_phone(contact, phone, at)
        return tx.merges.contact(contact.id)

    return await company.store.transaction(share)


async def merged(company: Company, winner: int, loser: int, person: Person) -> Merge | None:
    return await company.store.transaction(
        lambda tx: tx.merges.join(winner, loser, MergeReason.PERSON, company.clock(), person=person)
    )


async def person_of(company: Company, contact: Contact | int) -> PersonView:
    id = contact if isinstance(contact, int) else contact.id
    return await company.store.read(lambda tx: tx.people.of(id))


async def standing(company: Company, contact: Contact) -> int:
    """The contact that stands for this one now."""
    return (await company.store.read(lambda tx: tx.merges.contact(contact.id))).standing


async def merge_view(company: Company, id: int) -> MergeView:
    return await company.store.read(lambda tx: tx.people.merge(id))


def answering(company: Company, *ways: ChannelKind) -> None:
    """Deploy the lead agent with replies that leave by the first of these ways that reaches a lead."""
    router = Channels({}, (*ways, ChannelKind.HAND_OVER))
    company.deploy(LeadAgent(channel=router, model=company.agent.model))
