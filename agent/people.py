"""People as operators and scripts are shown them: contacts that are one person, side by side."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agent.clock import iso
from agent.contacts import Contact, Identifier, KnownBy, Merge
from agent.deals import Deal
from agent.jsontext import JsonObject
from agent.runs import Lead, Person


@dataclass(frozen=True, slots=True, kw_only=True)
class ContactView:
    """A contact and all that it is known by."""

    contact: Contact
    known: Sequence[KnownBy]


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonView:
    """One person: the contact that stands for all comes first.  leads, deals: ids, newest first."""

    contacts: Sequence[ContactView]
    merges: Sequence[Merge]
    leads: Sequence[int]
    deals: Sequence[int]

    @property
    def contact(self) -> Contact:
        return self.contacts[0].contact


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeView:
    """A merge and what there is, or was, on either side of it."""

    merge: Merge
    winner: Sequence[ContactView]
    loser: Sequence[ContactView]


def person_line(person: PersonView) -> JsonObject:
    """One line of `lead-agent contacts --json`."""
    contact, *others = (view.contact for view in person.contacts)
    return {
        "contact_id": contact.contact_id,
        "name": contact.name,
        "username": contact.username,
        "identifiers": list(_identifiers(person.contacts)),
        "merged": [other.contact_id for other in others],
        "leads": len(person.leads),
        "deals": len(person.deals),
        "created_at": iso(contact.created_at),
    }


def person_object(person: PersonView) -> JsonObject:
    """The object of `lead-agent contacts show --json`."""
    return person_line(person) | {
        "leads": [Lead.name_of(id) for id in person.leads],
        "deals": [Deal.name_of(id) for id in person.deals],
        "merges": [merge_object(merge) for merge in person.merges],
    }


def merge_object(merge: Merge) -> JsonObject:
    """`shared`: what the two have in common, where that is why."""
    return {
        "merge_id": merge.merge_id,
        "state": merge.state.value,
        "winner": Contact.name_of(merge.winner),
        "loser": Contact.name_of(merge.loser),
        "reason": merge.reason.value,
        "shared": _identifier(merge.shared) if merge.shared else None,
        "at": iso(merge.at),
        "decided_by": _person(merge.decided_by),
        "undone_at": iso(merge.undone_at),
        "undone_by": _person(merge.undone_by),
    }


def _identifiers(views: Iterable[ContactView]) -> Iterable[JsonObject]:
    for view in views:
        for known in view.known:
            yield _identifier(known.identifier) | {
                "verified": known.verified,
                "source": known.source,
                "since": iso(known.since),
                "contact_id": view.contact.contact_id,
            }


def _identifier(identifier: Identifier) -> JsonObject:
    return {"kind": identifier.kind.value, "value": identifier.value}


def _person(person: Person | None) -> JsonObject | None:
    return {"id": person.id, "name": person.name} if person else None
