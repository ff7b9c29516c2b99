"""Deals as operators work with them: stages, owners, notes; every change with who and when."""

from collections.abc import Collection

from agent.deals import Change, ChangeKind, Deal, DealView, Stage
from agent.errors import NotFound
from agent.outgoing import CardKind
from agent.runs import Lead, Person
from storage.cards import Cards
from storage.crm import deal_of
from storage.crm_outbox import CrmOutbox
from storage.leads import lead_of
from storage.merges import Merges
from storage.sql import Row, Sql

# Of the latest, on a card.
CHANGES_SHOWN = 8


def change_of(row: Row) -> Change:
    return Change(
        kind=ChangeKind(row["kind"]),
        before=row["before"],
        after=row["after"],
        by=Person(id=row["person_id"], name=row["person_name"]),
        at=row["at"],
    )


class Deals:
    """What changes a deal compares and sets: False means that it was so already."""

    def __init__(self, sql: Sql, cards: Cards, merges: Merges, outbox: CrmOutbox) -> None:
        self._sql = sql
        self._outbox = outbox
        self._cards = cards
        self._merges = merges

    def get(self, id: int) -> Deal:
        row = self._sql.maybe("deal", id=id)
        if row is None:
            raise NotFound(f"there is no deal D-{id}")
        return deal_of(row)

    def view(self, id: int) -> DealView:
        """NotFound if there is no such deal."""
        deal = self.get(id)
        changes = self._sql.all("changes_of_deal", deal_id=id)
        return DealView(
            deal=deal,
            lead=self._lead(deal),
            contact=self._merges.contact(deal.contact_id),
            changes=[change_of(row) for row in changes[-CHANGES_SHOWN:]],
            earlier=max(0, len(changes) - CHANGES_SHOWN),
        )

    def page(
        self, stages: Collection[Stage], owner: Person | None, offset: int, limit: int
    ) -> list[tuple[Deal, Lead]]:
        """Those in one of the stages, of one owner if that is asked, newest first."""
        rows = self._sql.all(
            "page_of_deals", **_among(stages), owner_id=_id(owner), offset=offset, limit=limit
        )
        deals = [deal_of(row) for row in rows]
        return [(deal, self._lead(deal)) for deal in deals]

    def count(self, stages: Collection[Stage], owner: Person | None) -> int:
        return int(self._sql.one("count_deals", **_among(stages), owner_id=_id(owner))["deals"])

    def noted(self, id: int) -> tuple[int, Change]:
        """A note by its id, and the id of its deal."""
        row = self._sql.one("deal_change", id=id)
        return int(row["deal_id"]), change_of(row)

    def _lead(self, deal: Deal) -> Lead:
        return lead_of(self._sql.one("lead", id=deal.lead_id))

    def move(self, deal: Deal, stage: Stage, person: Person, at: int) -> bool:
        if not self._sql.run("move_deal", id=deal.id, before=deal.stage, stage=stage):
            return False
        self._keep(deal, Change(kind=ChangeKind.STAGE, before=deal.stage, after=stage, by=person, at=at))
        return True

    def take(self, deal: Deal, person: Person, at: int) -> bool:
        """Make the person its owner."""
        if not self._sql.run("take_deal", id=deal.id, owner_id=person.id, owner_name=person.name):
            return False
        before = deal.owner.name if deal.owner else None
        self._keep(deal, Change(kind=ChangeKind.OWNER, before=before, after=person.name, by=person, at=at))
        return True

    def note(self, deal: Deal, text: str, person: Person, at: int, *, chat_id: int, message_id: int) -> None:
        """Kept once, however often the message that wrote it is handled."""
        if self._sql.maybe("note_of_message", chat_id=chat_id, message_id=message_id) is None:
            change = Change(kind=ChangeKind.NOTE, after=text, by=person, at=at)
            self._keep(deal, change, chat_id=chat_id, message_id=message_id)

    def _keep(
        self, deal: Deal, change: Change, *, chat_id: int | None = None, message_id: int | None = None
    ) -> None:
        added = self._sql.one(
            "add_deal_change",
            deal_id=deal.id,
            kind=change.kind,
            before=change.before,
            after=change.after,
            person_id=change.by.id,
            person_name=change.by.name,
            at=change.at,
            chat_id=chat_id,
            message_id=message_id,
        )
        self._cards.touch_if_shown(CardKind.DEAL, deal.id)
        if change.kind is ChangeKind.NOTE:
            self._outbox.noted(added["id"], deal.contact_id)
        else:
            self._outbox.deal_changed(deal.id, deal.contact_id)


def _among(stages: Collection[Stage]) -> dict[str, str | None]:
    """The parameters of a query that takes as many stages as there are."""
    return {f"stage_{number}": stage if stage in stages else None for number, stage in enumerate(Stage)}


def _id(owner: Person | None) -> int | None:
    return owner.id if owner else None
