"""People, read for people."""

from agent.contacts import Contact, Merge
from agent.people import ContactView, MergeView, PersonView
from storage.identities import Identities
from storage.merges import Merges, contact_of
from storage.sql import Sql


class People:
    """Everything here reads only."""

    def __init__(self, sql: Sql, merges: Merges, identities: Identities) -> None:
        self._sql = sql
        self._merges = merges
        self._identities = identities

    def latest(self, limit: int) -> list[PersonView]:
        """Newest first, each person once."""
        return [self._person(contact_of(row)) for row in self._sql.all("latest_people", limit=limit)]

    def of(self, contact_id: int) -> PersonView:
        """The person that a contact is, or was merged into; NotFound if there is none."""
        return self._person(self._merges.family(contact_id)[0])

    def merge(self, id: int) -> MergeView:
        """NotFound if there is no such merge."""
        merge = self._merges.get(id)
        brought = self._merges.brought(merge.loser)
        others = [one for one in self._merges.family(merge.winner) if one.id not in brought]
        return MergeView(
            merge=merge,
            winner=[self._view(contact) for contact in others],
            loser=[self._view(self._merges.contact(id)) for id in brought],
        )

    def _person(self, standing: Contact) -> PersonView:
        family = self._merges.family(standing.id)
        return PersonView(
            contacts=[self._view(contact) for contact in family],
            merges=self._merges_of(family),
            leads=self._ids("leads_of_contact", family),
            deals=self._ids("deals_of_contact", family),
        )

    def _view(self, contact: Contact) -> ContactView:
        return ContactView(contact=contact, known=self._identities.known_by(contact))

    def _merges_of(self, family: list[Contact]) -> list[Merge]:
        found = {merge.id: merge for contact in family for merge in self._merges.of(contact.id)}
        return [found[id] for id in sorted(found)]

    def _ids(self, query: str, family: list[Contact]) -> list[int]:
        rows = (row for contact in family for row in self._sql.all(query, contact_id=contact.id))
        return sorted((row["id"] for row in rows), reverse=True)
