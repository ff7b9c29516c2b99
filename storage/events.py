"""The outbox of events: written with what they tell of, and only for those who want to hear it."""

import secrets
from collections.abc import Sequence

from agent import events
from agent.clock import iso
from agent.deals import Deal, Utterance
from agent.events import EventType
from agent.jsontext import JsonObject, dumps
from agent.proposals import Proposal
from agent.runs import Lead, Person, Run
from storage.commit import Wakes
from storage.leads import lead_of
from storage.sql import Sql
from storage.subscriptions import Subscriptions


class Events:
    """One method for each thing that happens; without a subscription none of them costs a statement."""

    def __init__(self, sql: Sql, wakes: Wakes, subscriptions: Subscriptions) -> None:
        self._sql = sql
        self._wakes = wakes
        self._subscriptions = subscriptions

    def lead_created(self, lead: Lead, at: int) -> None:
        if self._wanted(EventType.LEAD_CREATED):
            self._add(EventType.LEAD_CREATED, lead, at, events.lead_created(lead))

    def lead_updated(self, run: Run, said: Sequence[Utterance]) -> None:
        """At the time of the last word."""
        if said and self._wanted(EventType.LEAD_UPDATED):
            lead = self._lead(run.id)
            self._add(EventType.LEAD_UPDATED, lead, said[-1].at, events.lead_updated(lead, run, said))

    def lead_escalated(self, lead: Lead, run_id: int, reason: str, at: int) -> None:
        if self._wanted(EventType.LEAD_ESCALATED):
            self._add(EventType.LEAD_ESCALATED, lead, at, events.lead_escalated(lead, run_id, reason))

    def deal_created(self, lead: Lead, run_id: int, deal: Deal) -> None:
        if self._wanted(EventType.DEAL_CREATED):
            self._add(EventType.DEAL_CREATED, lead, deal.created_at, events.deal_created(lead, run_id, deal))

    def reply_approved(self, proposal: Proposal, at: int) -> None:
        """Once the approval can no longer be taken back."""
        if proposal.text is not None and self._wanted(EventType.REPLY_APPROVED):
            lead = self._lead(proposal.run_id)
            self._add(EventType.REPLY_APPROVED, lead, at, events.reply_approved(lead, proposal))

    def reply_delivered(self, proposal: Proposal, at: int, *, settled_by: Person | None = None) -> None:
        if proposal.text is not None and self._wanted(EventType.REPLY_DELIVERED):
            lead = self._lead(proposal.run_id)
            data = events.reply_delivered(lead, proposal, settled_by=settled_by)
            self._add(EventType.REPLY_DELIVERED, lead, at, data)

    def run_finished(self, run: Run, at: int) -> None:
        if self._wanted(EventType.RUN_FINISHED):
            lead = self._lead(run.id)
            self._add(EventType.RUN_FINISHED, lead, at, events.run_finished(lead, run))

    def _wanted(self, type: EventType) -> bool:
        return bool(self._subscriptions.wanting(type))

    def _lead(self, run_id: int) -> Lead:
        return lead_of(self._sql.one("lead_by_run", run_id=run_id))

    def _add(self, type: EventType, lead: Lead, at: int, data: JsonObject) -> None:
        """Standard Webhooks, payload: type, timestamp, data."""
        body = dumps({"type": type.value, "timestamp": iso(at), "data": data})
        key = f"evt_{secrets.token_hex(16)}"
        event = self._sql.one("add_event", key=key, type=type, lead_id=lead.id, body=body, at=at)
        for subscription in self._subscriptions.wanting(type):
            self._sql.run(
                "add_delivery", event_id=event["id"], subscription_id=subscription.id, lead_id=lead.id
            )
        self._wakes.commit.delivering = True
