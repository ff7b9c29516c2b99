"""Contacts that are, may be or were one person.

Rows stay where they were written.  A merge makes one contact stand for another and for all that the other
stands for; taking it back gives them what was theirs, whatever came in between.
"""

from collections.abc import Collection, Iterator

from agent.contacts import Contact, Identifier, IdentifierKind, Merge, MergeReason, MergeState
from agent.errors import NotFound
from agent.outgoing import CardKind
from agent.runs import Person
from storage.cards import Cards
from storage.crm_outbox import CrmOutbox
from storage.persons import columns_of, person_of
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
        created_at=row["created_at"],
        taken_by=taken_by(row),
        merged_into=row["merged_into"],
    )


def taken_by(row: Row) -> Person | None:
    """Who talks with the contact in the agent's place."""
    return person_of(row["taken_by"], row["taken_name"])


def merge_of(row: Row) -> Merge:
    kind = row["kind"]
    return Merge(
        id=row["id"],
        winner=row["winner"],
        loser=row["loser"],
        state=MergeState(row["state"]),
        reason=MergeReason(row["reason"]),
        shared=Identifier(kind=IdentifierKind(kind), value=row["value"]) if kind else None,
        at=row["at"],
        decided_by=person_of(row["decided_by"], row["decided_name"]),
        undone_by=person_of(row["undone_by"], row["undone_name"]),
        undone_at=row["undone_at"],
    )


# Of a contact, whose cards follow a merge: edits are few in a group, and decisions wait behind them.
RUNS_SHOWN = 5
# Questions that wait for an answer.
MOST_ASKED = 20


class Merges:
    """See the module.  People are shown each merge, on a card of its own or, where a form alone made it, on
    those of the form's leads; they can take back any.
    """

    def __init__(self, sql: Sql, cards: Cards, outbox: CrmOutbox) -> None:
        self._sql = sql
        self._cards = cards
        self._outbox = outbox
        # Read once and remembered, since nobody writes but this connection; see `forget`.
        self._any: bool | None = None

    def forget(self) -> None:
        """Read again: what was written may have been undone."""
        self._any = None

    @property
    def any(self) -> bool:
        """Whether there is a merged contact at all."""
        if self._any is None:
            self._any = bool(self._sql.one("any_merge")["found"])
        return self._any

    # --- contacts

    def knows(self, id: int) -> bool:
        return self._sql.maybe("contact", id=id) is not None

    def contact(self, id: int) -> Contact:
        row = self._sql.maybe("contact", id=id)
        if row is None:
            raise NotFound(f"there is no contact C-{id}; `lead-agent contacts` lists them")
        return contact_of(row)

    def family(self, id: int) -> list[Contact]:
        """All contacts that are the same person as this one; the one that stands for them first."""
        standing = self.contact(id).standing
        return [contact_of(row) for row in self._sql.all("family", standing=standing)]

    def brought(self, loser: int) -> list[int]:
        """The contact that a merge is about, and what was merged into it, before or since."""
        return [loser, *self._merged_below(loser)]

    # --- merging

    def join(
        self,
        winner: int,
        loser: int,
        reason: MergeReason,
        at: int,
        *,
        shared: Identifier | None = None,
        person: Person | None = None,
    ) -> Merge | None:
        """Make one person of two contacts; None if they are one already."""
        first, second = self.contact(winner).standing, self.contact(loser).standing
        if first == second:
            return None
        merge = self._add(first, second, MergeState.MERGED, reason, at, shared=shared, person=person)
        self._stand_for(first, second)
        if reason is not MergeReason.CLAIMED:
            self._cards.touch(CardKind.MERGE, merge.id)
        return merge

    def suggest(self, winner: int, loser: int, shared: Identifier, at: int) -> None:
        """Ask the operators whether two contacts are one person, unless they were asked before.

        Whoever fills in forms by hundreds makes as many questions: more than some at a time nobody is asked.
        """
        if any(merge.state is not MergeState.MERGED for merge in self._between(winner, loser)):
            return
        if self._sql.one("count_suggested_merges")["merges"] >= MOST_ASKED:
            return
        merge = self._add(winner, loser, MergeState.SUGGESTED, MergeReason.PERSON, at, shared=shared)
        self._cards.touch(CardKind.MERGE, merge.id)

    def decide(self, merge: Merge, person: Person, at: int, *, same: bool) -> Merge | None:
        """What an operator says of a suggestion; None if that is decided already."""
        winner, loser = self.contact(merge.winner).standing, self.contact(merge.loser).standing
        row = self._sql.maybe(
            "decide_merge",
            id=merge.id,
            state=MergeState.MERGED if same else MergeState.REFUSED,
            winner=winner,
            loser=loser,
            at=at,
            person_id=person.id,
            person_name=person.name,
        )
        if row is None:
            return None
        if same:
            self._stand_for(winner, loser)
        self._cards.touch(CardKind.MERGE, merge.id)
        return merge_of(row)

    def undo(self, merge: Merge, person: Person, at: int) -> Merge | None:
        """Let what was merged stand for itself again; None if it does already."""
        row = self._sql.maybe("undo_merge", id=merge.id, person_id=person.id, person_name=person.name, at=at)
        if row is None:
            return None
        for id in self.brought(merge.loser):
            self._sql.run("stand_for", id=id, standing=None if id == merge.loser else merge.loser)
            self._changed(id)
        self._outbox.contact_changed(self.contact(merge.winner).standing)
        self._cards.touch(CardKind.MERGE, merge.id)
        return merge_of(row)

    def told_apart(self, first: int, second: int) -> bool:
        """Whether an operator said of the two persons that they are different."""
        states = {merge.state for merge in self._between(first, second)}
        return bool(states & {MergeState.REFUSED, MergeState.UNDONE})

    # --- rows

    def get(self, id: int) -> Merge:
        row = self._sql.maybe("merge", id=id)
        if row is None:
            raise NotFound(f"there is no merge M-{id}; `lead-agent contacts show` names those of a contact")
        return merge_of(row)

    def of(self, contact_id: int) -> list[Merge]:
        """All that a contact had a part in, oldest first."""
        return [merge_of(row) for row in self._sql.all("merges_of_contact", id=contact_id)]

    def holding(self, contact_id: int) -> Merge | None:
        """The merge by which another contact stands for this one."""
        row = self._sql.maybe("holding_merge", loser=contact_id) if self.any else None
        return merge_of(row) if row else None

    def _add(
        self,
        winner: int,
        loser: int,
        state: MergeState,
        reason: MergeReason,
        at: int,
        *,
        shared: Identifier | None,
        person: Person | None = None,
    ) -> Merge:
        row = self._sql.one(
            "add_merge",
            winner=winner,
            loser=loser,
            state=state,
            reason=reason,
            kind=shared.kind if shared else None,
            value=shared.value if shared else None,
            at=at,
            **columns_of(person),
        )
        return merge_of(row)

    def _stand_for(self, winner: int, loser: int) -> None:
        self._sql.run("merge_contacts", winner=winner, loser=loser)
        self._any = True
        family = {contact.id for contact in self.family(winner)}
        for id in family:
            self._changed(id)
        for merge in self._inside(family, family):
            if merge.state is MergeState.SUGGESTED:
                self._sql.run("settle_merge", id=merge.id)
                self._cards.touch_if_shown(CardKind.MERGE, merge.id)

    def _changed(self, id: int) -> None:
        """Another contact stands for this one: cards of its deals and latest runs have to say so."""
        self._outbox.contact_changed(id, deals=True)
        for row in self._sql.all("latest_cards_of_contact", contact_id=id, runs=RUNS_SHOWN):
            self._cards.touch_if_shown(CardKind(row["kind"]), row["subject"])

    def _merged_below(self, id: int) -> Iterator[int]:
        for merge in self.of(id):
            if merge.winner == id and merge.state is MergeState.MERGED:
                yield merge.loser
                yield from self._merged_below(merge.loser)

    def _between(self, first: int, second: int) -> Iterator[Merge]:
        families = [{contact.id for contact in self.family(id)} for id in (first, second)]
        return self._inside(*families)

    def _inside(self, some: Collection[int], others: Collection[int]) -> Iterator[Merge]:
        for id in some:
            for merge in self.of(id):
                if (merge.loser if merge.winner == id else merge.winner) in others:
                    yield merge
