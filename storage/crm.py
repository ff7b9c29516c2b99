"""The built-in CRM: deals and escalations of the lead's own contact."""

from collections.abc import Collection
from operator import itemgetter

from agent.contacts import Identifier
from agent.deals import Deal, Service, Stage, Utterance
from agent.outgoing import CardKind
from agent.runs import Lead
from storage.cards import Cards
from storage.crm_outbox import CrmOutbox
from storage.events import Events
from storage.identities import Identities
from storage.persons import person_of
from storage.sql import Row, Sql


def deal_of(row: Row) -> Deal:
    return Deal(
        id=row["id"],
        contact_id=row["contact_id"],
        lead_id=row["lead_id"],
        service=Service(row["service"]),
        summary=row["summary"],
        created_at=row["created_at"],
        run_id=row["run_id"],
        stage=Stage(row["stage"]),
        owner=person_of(row["owner_id"], row["owner_name"]),
    )


class BuiltInCrm:
    """See agent.ports.Crm."""

    def __init__(
        self, sql: Sql, cards: Cards, events: Events, identities: Identities, outbox: CrmOutbox
    ) -> None:
        self._sql = sql
        self._cards = cards
        self._events = events
        self._identities = identities
        self._outbox = outbox

    def deals(self, lead: Lead, heard_by: Collection[Identifier] = ()) -> list[Deal]:
        heard = self._identities.heard(lead, heard_by)
        rows = [row for contact_id in heard for row in self._sql.all("deals", contact_id=contact_id)]
        return [deal_of(row) for row in sorted(rows, key=itemgetter("id"))]

    def conversation(self, lead: Lead, limit: int, heard_by: Collection[Identifier] = ()) -> list[Utterance]:
        heard = self._identities.heard(lead, heard_by)
        rows = [row for contact_id in heard for row in self._talk(contact_id, lead, limit)]
        said = [
            Utterance(speaker=row["speaker"], kind=row["kind"], text=row["text"], at=row["at"])
            for row in sorted(rows, key=itemgetter("at"))
        ]
        return said[-limit:]

    def _talk(self, contact_id: int, lead: Lead, limit: int) -> list[Row]:
        """The latest of one contact, without the words of this very lead."""
        return self._sql.all("conversation", contact_id=contact_id, lead_id=lead.id, limit=limit)

    def create_deal(self, lead: Lead, run_id: int, service: Service, summary: str, at: int) -> Deal:
        """A new deal, or the one that already stands for this request.

        The same request is the same service asked for in the same lead, or in the same words before.
        """
        for row in self._sql.all("deals", contact_id=lead.contact_id):
            same_words = _folded(row["summary"]) == _folded(summary)
            if row["service"] == service and (row["lead_id"] == lead.id or same_words):
                return deal_of(row)
        row = self._sql.one(
            "add_deal",
            contact_id=lead.contact_id,
            lead_id=lead.id,
            run_id=run_id,
            service=service,
            summary=summary,
            created_at=at,
        )
        deal = deal_of(row)
        self._events.deal_created(lead, run_id, deal)
        self._outbox.deal_changed(deal.id, deal.contact_id)
        return deal

    def escalate(self, lead: Lead, run_id: int, reason: str, at: int) -> None:
        self._sql.run("add_escalation", lead_id=lead.id, run_id=run_id, reason=reason, created_at=at)
        self._cards.touch(CardKind.RUN, run_id)
        self._events.lead_escalated(lead, run_id, reason, at)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
