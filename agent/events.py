"""What the company's other programs are told of: events, who gets them, and how far each delivery is.

    behind ──> ready ──> delivered
                 ├─────> failed    (given up after days; `redeliver` makes it ready again)
                 └─────> dropped   (its subscription ended)

Deliveries of one lead to one subscription go out in order: one is ready, the later ones are behind it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from agent.clock import iso
from agent.deals import Deal, Utterance
from agent.jsontext import JsonObject
from agent.proposals import Proposal
from agent.runs import Lead, Person, Run
from agent.views import lead_object


class EventType(StrEnum):
    """See docs/events.md."""

    LEAD_CREATED = "lead.created"
    LEAD_UPDATED = "lead.updated"
    LEAD_ESCALATED = "lead.escalated"
    DEAL_CREATED = "deal.created"
    REPLY_APPROVED = "reply.approved"
    REPLY_DELIVERED = "reply.delivered"
    RUN_FINISHED = "run.finished"


class SubscriptionState(StrEnum):
    """`disabled`: the receiver said that it is gone (410); adding the URL again starts it anew."""

    ACTIVE = "active"
    DISABLED = "disabled"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscription:
    """A URL that is told of events, signed with `secret`.  `types` is empty where it wants all."""

    id: int
    url: str
    secret: str
    types: frozenset[EventType]
    state: SubscriptionState
    created_at: int
    reason: str | None = None

    @property
    def subscription_id(self) -> str:
        return f"S-{self.id}"

    def wants(self, type: EventType) -> bool:
        return self.state is SubscriptionState.ACTIVE and (not self.types or type in self.types)


class DeliveryState(StrEnum):
    """See the drawing above."""

    BEHIND = "behind"
    READY = "ready"
    DELIVERED = "delivered"
    FAILED = "failed"
    DROPPED = "dropped"

    @property
    def open(self) -> bool:
        return self in (DeliveryState.BEHIND, DeliveryState.READY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """One event on its way to one subscription.

    key: the webhook-id, the same over all tries.  body: the JSON text as it was when it happened.  status,
    error, tried_at: of the last try.  not_before: when the next one is due (ms).
    """

    id: int
    subscription_id: int
    url: str
    lead_id: int
    type: EventType
    key: str
    body: str
    at: int
    state: DeliveryState
    attempts: int
    not_before: int
    status: int | None = None
    error: str | None = None
    tried_at: int | None = None

    @property
    def delivery_id(self) -> str:
        return f"E-{self.id}"


def lead_created(lead: Lead) -> JsonObject:
    return {"lead": lead_object(lead)}


def lead_updated(lead: Lead, run: Run, said: Sequence[Utterance]) -> JsonObject:
    """The lead wrote again, and the run that works for it has read it."""
    words = [{"kind": message.kind, "text": message.text, "at": iso(message.at)} for message in said]
    return {"lead": lead_object(lead), "run_id": run.run_id, "messages": words}


def lead_escalated(lead: Lead, run_id: int, reason: str) -> JsonObject:
    return {"lead": lead_object(lead), "run_id": Run.name_of(run_id), "reason": reason}


def deal_created(lead: Lead, run_id: int, deal: Deal) -> JsonObject:
    return {
        "lead": lead_object(lead),
        "run_id": Run.name_of(run_id),
        "deal": {"deal_id": deal.deal_id, "service": deal.service.value, "summary": deal.summary},
    }


def reply_approved(lead: Lead, proposal: Proposal) -> JsonObject:
    return {
        "lead": lead_object(lead),
        "run_id": Run.name_of(proposal.run_id),
        "reply": _reply(proposal),
        "approved_by": _person(proposal.decided_by),
    }


def reply_delivered(lead: Lead, proposal: Proposal, *, settled_by: Person | None) -> JsonObject:
    """`settled_by`: the person who said that it arrived, where the channel did not."""
    return {
        "lead": lead_object(lead),
        "run_id": Run.name_of(proposal.run_id),
        "reply": _reply(proposal),
        "settled_by": _person(settled_by),
    }


def run_finished(lead: Lead, run: Run) -> JsonObject:
    return {
        "lead": lead_object(lead),
        "run": {
            "run_id": run.run_id,
            "agent": run.agent,
            "status": run.status.value,
            "reason": run.reason,
            "text": run.text,
            "steps": run.steps,
            "tokens": run.usage.total,
        },
    }


def _reply(proposal: Proposal) -> JsonObject:
    channel = proposal.route.kind.value if proposal.route else None
    return {"proposal_id": proposal.proposal_id, "text": proposal.text, "channel": channel}


def _person(person: Person | None) -> JsonObject | None:
    return {"id": person.id, "name": person.name} if person else None
