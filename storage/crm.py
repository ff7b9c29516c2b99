"""The built-in CRM: deals and escalations of the lead's own contact."""

from operator import itemgetter

from agent.deals import Deal, Service, Utterance
from agent.outgoing import CardKind
from agent.runs import Lead
from storage.cards import Cards
from storage.events import Events
from storage.sql import Row, Sql


def deal_of(row: Row) -> Deal:
    return Deal(
        id=row["id"],
        service=Service(row["service"]),
        summary=row["summary"],
        created_at=row["created_at"],
        run_id=row["run_id"],
    )


class BuiltInCrm:
    """See agent.ports.Crm."""

    def __init__(self, sql: Sql, cards: Cards, events: Events) -> None:
        self._sql = sql
        self._cards = cards
        self._events = events

    def deals(self, lead: Lead) -> list[Deal]:
        return [deal_of(row) for row in self._sql.all("deals", contact_id=lead.contact_id)]

    def conversation(self, lead: Lead, limit: int) -> list[Utterance]:
        latest = self._sql.all("conversation", contact_id=lead.contact_id, lead_id=lead.id, limit=limit)
        return [
            Utterance(speaker=row["speaker"], kind=row["kind"], text=row["text"], at=row["at"])
            for row in sorted(latest, key=itemgetter("at"))
        ]

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
        deal = Deal(id=row["id"], service=service, summary=summary, created_at=at, run_id=run_id)
        self._events.deal_created(lead, run_id, deal)
        return deal

    def escalate(self, lead: Lead, run_id: int, reason: str, at: int) -> None:
        self._sql.run("add_escalation", lead_id=lead.id, run_id=run_id, reason=reason, created_at=at)
        self._cards.touch(CardKind.RUN, run_id)
        self._events.lead_escalated(lead, run_id, reason, at)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
