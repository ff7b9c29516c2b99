"""Who is who: contacts by what they are known by."""

from collections.abc import Collection, Iterator, Sequence

from agent.contacts import (
    Contact,
    Identifier,
    IdentifierKind,
    KnownBy,
    MergeReason,
    MergeState,
    identifiers_of,
    phone,
    telegram,
)
from agent.hearing import Kin, audible
from agent.jsontext import digest
from agent.phones import Phone
from agent.runs import TELEGRAM, Lead
from storage.crm_outbox import CrmOutbox
from storage.merges import Merges, contact_of
from storage.sql import Sql

# Of one form: more contacts than that in common is no mistake of a person.
MOST_SUGGESTIONS = 3


class Identities:
    """Recognises people, and says of whom an answer may speak."""

    def __init__(self, sql: Sql, merges: Merges, outbox: CrmOutbox) -> None:
        self._sql = sql
        self._merges = merges
        self._outbox = outbox

    # --- recognising

    def identify(
        self, *, name: str, phones: Sequence[Phone], emails: Sequence[str], source: str, at: int
    ) -> Contact:
        """The contact of somebody who filled in a form; a new one, if exactly this was never given before,
        or if part of it is doubtful: an answer may reach that, too.

        A new one that gives what an earlier one is known by is merged into it; where several are, into the
        one known best, and the others are put before the operators.
        """
        given = identifiers_of(phones, emails)
        if not given:
            return contact_of(self._sql.one("add_contact", name=name, reach=None, at=at))
        certain = all(number.trusted for number in phones)
        reach = digest([f"{identifier.kind}:{identifier.value}" for identifier in given]) if certain else None
        if row := self._sql.maybe("contact_of_reach", name=name, reach=reach):
            return contact_of(row)
        added = contact_of(self._sql.one("add_contact", name=name, reach=reach, at=at))
        for identifier in given:
            self._know(added.id, identifier, verified=False, source=source, at=at)
        self._recognise(added, given, at)
        return self._merges.contact(added.id)

    def _know(self, contact_id: int, identifier: Identifier, *, verified: bool, source: str, at: int) -> None:
        self._sql.run(
            "add_identifier",
            kind=identifier.kind,
            value=identifier.value,
            contact_id=contact_id,
            verified=verified,
            source=source,
            at=at,
        )

    def _recognise(self, contact: Contact, given: Sequence[Identifier], at: int) -> None:
        """Of those who are known by what a new contact gave the best known comes first, then the oldest."""
        ranked: dict[int, Identifier] = {}
        for _, standing, identifier in sorted(self._holders(contact.id, given)):
            ranked.setdefault(standing, identifier)
        if not ranked:
            return
        (best, identifier), *others = ranked.items()
        self._merges.join(best, contact.id, MergeReason.CLAIMED, at, shared=identifier)
        for other, shared in others[:MOST_SUGGESTIONS]:
            self._merges.suggest(best, other, shared, at)

    def _holders(self, contact_id: int, given: Sequence[Identifier]) -> Iterator[tuple[int, int, Identifier]]:
        """How weak a bond is, who stands for those at its other end, and what they have in common."""
        for identifier in given:
            rows = self._sql.all(
                "holders", kind=identifier.kind, value=identifier.value, contact_id=contact_id
            )
            for row in rows:
                weakness = 2 if identifier.kind is IdentifierKind.EMAIL else 1 - row["verified"]
                yield weakness, row["standing"], identifier

    def vouch(self, contact: Contact, e164: str, at: int) -> None:
        """Telegram says that the phone is this contact's own: no longer anybody else's, nor another theirs.

        Whoever gave it in forms is this contact.
        """
        if contact.phone == e164:
            return
        shared = phone(e164)
        self._sql.run("take_phone_from", phone=e164)
        self._sql.run("drop_phone_of_others", phone=e164, contact_id=contact.id)
        self._sql.run("drop_former_phone", phone=e164, contact_id=contact.id)
        self._sql.run("set_contact_phone", id=contact.id, phone=e164)
        self._know(contact.id, shared, verified=True, source=TELEGRAM, at=at)
        self._outbox.contact_changed(contact.standing)
        for standing in {standing for _, standing, _ in self._holders(contact.id, [shared])}:
            self._claim(contact.standing, standing, shared, at)

    def _claim(self, own: int, other: int, shared: Identifier, at: int) -> None:
        """Merge at once, but never two Telegram accounts, nor what an operator took apart."""
        if own == other or self._merges.told_apart(own, other):
            return
        if any(contact.telegram_id is not None for contact in self._merges.family(other)):
            self._merges.suggest(own, other, shared, at)
        else:
            self._merges.join(own, other, MergeReason.VOUCHED, at, shared=shared)

    # --- reading

    def known_by(self, contact: Contact) -> list[KnownBy]:
        """All that a contact is known by, the Telegram account first."""
        given = [
            KnownBy(
                identifier=Identifier(kind=IdentifierKind(row["kind"]), value=row["value"]),
                verified=bool(row["verified"]),
                source=row["source"],
                since=row["since"],
            )
            for row in self._sql.all("identifiers_of_contact", contact_id=contact.id)
        ]
        if contact.telegram_id is None:
            return given
        account = telegram(contact.telegram_id)
        return [KnownBy(identifier=account, verified=True, source=TELEGRAM, since=contact.created_at), *given]

    def heard(self, lead: Lead, heard_by: Collection[Identifier]) -> list[int]:
        """The contacts of whom an answer to the lead may speak if these hear it; see agent.hearing."""
        if not (heard_by and self._merges.any):
            return [lead.contact_id]
        family = self._merges.family(lead.contact_id)
        kin = {contact.id: self._kin(contact) for contact in family}
        pairs = [pair for contact in family for pair in self._said_to_be_one(contact)]
        return sorted(audible(heard_by, kin.pop(lead.contact_id), list(kin.values()), pairs))

    def _said_to_be_one(self, contact: Contact) -> list[tuple[int, int]]:
        return [
            (merge.winner, merge.loser)
            for merge in self._merges.of(contact.id)
            if merge.loser == contact.id
            and merge.state is MergeState.MERGED
            and merge.reason is MergeReason.PERSON
        ]

    def _kin(self, contact: Contact) -> Kin:
        known = self.known_by(contact)
        return Kin(
            contact_id=contact.id,
            known=frozenset(item.identifier for item in known),
            verified=frozenset(item.identifier for item in known if item.verified),
        )
