"""Who hears a reply, and which of a person's contacts it may therefore speak of.

A form verifies nothing: whoever types another's phone beside an address of their own would be answered there
with what that other person has told.  So what counts is where the reply goes.  Whoever has that address hears
what was said with it, and, if Telegram vouches for it, what was said with anything else that it vouches for;
where an operator has merged two contacts, the one hears of the other.  What a form claims joins nothing.
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
        case ChannelKind.WEBHOOK:  # another program chooses among all that the lead gave
            return given
        case ChannelKind.HAND_OVER:
            return given & {phone(route.address), email(route.address)}
    assert_never(route.kind)


def audible(
    heard_by: Collection[Identifier], kin: Sequence[Kin], merged: Iterable[tuple[int, int]]
) -> frozenset[int]:
    """The contacts of which all the listeners may hear; none for no listener.

    merged: pairs of contacts that an operator said are one person.
    """
    pairs = list(merged)
    heard = [_heard_by(listener, kin, pairs) for listener in heard_by]
    return frozenset.intersection(*heard) if heard else frozenset()


def _heard_by(listener: Identifier, kin: Sequence[Kin], pairs: Sequence[tuple[int, int]]) -> frozenset[int]:
    known = {contact.contact_id: contact.known for contact in kin}
    own, before = frozenset({listener}), frozenset[Identifier]()
    while own != before:
        before = own
        for contact in kin:
            if contact.verified & own:
                own |= contact.verified
        for first, second in pairs:
            if (known[first] | known[second]) & own:
                own |= known[first] | known[second]
    return frozenset(id for id, identifiers in known.items() if identifiers & own)
