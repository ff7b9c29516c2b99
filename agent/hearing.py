"""Of which of a person's contacts the answer to a lead may speak.

What a form names is a claim: anybody may type another's phone, beside an address of their own or before they
come back with that address alone.  So a claim shows what was told before only where the lead names all that
was named then, and whoever hears the answer is among it.  Beyond that counts what somebody vouches for:
Telegram for the lead's own account and the phone that it shared, an operator for what was merged by hand.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import assert_never

from agent.channels import ChannelKind, Route
from agent.contacts import Identifier, email, identifiers_of, phone, telegram
from agent.runs import Lead


@dataclass(frozen=True, slots=True, kw_only=True)
class Kin:
    """One contact of a person: all it is known by, and what of that Telegram vouches for."""

    contact_id: int
    known: frozenset[Identifier]
    verified: frozenset[Identifier]


def listeners(route: Route, lead: Lead) -> frozenset[Identifier]:
    """Everybody whom a reply by this route may reach; nobody known where that is not certain."""
    given = frozenset(identifiers_of(lead.phones, lead.emails))
    match route.kind:
        case ChannelKind.TELEGRAM:
            return frozenset() if lead.telegram_id is None else frozenset({telegram(lead.telegram_id)})
        case ChannelKind.EMAIL:
            return frozenset({email(route.address)})
        case ChannelKind.WEBHOOK:  # another program chooses among all that the lead gave, doubtful or not
            return given if all(number.trusted for number in lead.phones) else frozenset()
        case ChannelKind.HAND_OVER:
            return given & {phone(route.address), email(route.address)}
    assert_never(route.kind)


def audible(
    heard_by: Collection[Identifier], own: Kin, others: Sequence[Kin], merged: Iterable[tuple[int, int]]
) -> frozenset[int]:
    """The contacts of which those may hear: the lead's own, whoever does.

    others: the person's other contacts.  merged: pairs of contacts that an operator said are one person.
    """
    hearing, ids = frozenset(heard_by), {own.contact_id}
    if hearing and hearing <= own.known:
        ids |= {kin.contact_id for kin in others if hearing <= kin.known <= own.known}
        ids |= _reached(own.contact_id, list(merged))
    if hearing and hearing <= own.verified:
        ids |= {kin.contact_id for kin in others if kin.known & own.verified}
    return frozenset(ids)


def _reached(start: int, pairs: Sequence[tuple[int, int]]) -> frozenset[int]:
    """All that the pairs join to one contact, step by step."""
    reached, before = frozenset({start}), frozenset[int]()
    while reached != before:
        before = reached
        reached |= {id for pair in pairs if reached & set(pair) for id in pair}
    return reached
