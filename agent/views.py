"""What people and scripts are shown of a run, gathered in one read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from agent.clock import iso
from agent.contacts import Contact, Merge
from agent.costs import Tariff, Units, cost_of_run
from agent.deals import Deal, Utterance
from agent.jsontext import JsonObject
from agent.phones import Phone
from agent.proposals import Proposal, Version
from agent.runs import Lead, Person, Run, Switch
from agent.versions import Versions


@dataclass(frozen=True, slots=True, kw_only=True)
class RunView:
    """A run with all that came of it.  `unread` is what the lead wrote since the run last looked.

    blocked: the lead has blocked the bot.  pause: the manual stop while it is on, if it concerns this run.
    taken_by: who talks with the lead in the agent's place.  merge: by which another contact stands for the
    lead's.
    """

    run: Run
    model: str
    lead: Lead
    username: str | None
    blocked: bool
    deals: list[Deal]
    escalations: list[str]
    proposals: list[Proposal]
    unread: list[Utterance]
    pause: Switch | None = None
    taken_by: Person | None = None
    merge: Merge | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadView:
    """A lead and when it came (ms).  standing: the id of the contact that stands for its person now.

    waits_until: of one without a run, since there are too many (ms).
    """

    lead: Lead
    standing: int
    created_at: int
    waits_until: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """A run with what it was made by and what it used: more than any card shows."""

    view: RunView
    versions: Versions
    units: Units

    def cost(self, tariff: Tariff) -> Decimal | None:
        return cost_of_run(self.view.run.usage, self.view.model, self.units, tariff)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposalView:
    """A proposal beside the run it belongs to."""

    proposal: Proposal
    view: RunView


@dataclass(frozen=True, slots=True, kw_only=True)
class CardView:
    """What one card shows: the proposals that are decided on it, in the model's order.

    earlier: the versions before the present one, by the proposal's id.
    """

    proposals: Sequence[Proposal]
    view: RunView
    earlier: Mapping[int, Sequence[Version]] = field(default_factory=dict)


def run_line(run: Run, cost: Decimal | None) -> JsonObject:
    """One line of `lead-agent runs --json`."""
    return {
        "run_id": run.run_id,
        "agent": run.agent,
        "lead_id": run.lead_name,
        "status": run.status.value,
        "steps": run.steps,
        "tokens": run.usage.total,
        "cost": None if cost is None else f"{cost:f}",
        "created_at": iso(run.created_at),
        "finished_at": iso(run.finished_at),
    }


def run_object(view: RunView, cost: Decimal | None) -> JsonObject:
    """A run and all that came of it, as JSON."""
    lead = view.lead
    return run_line(view.run, cost) | {
        "text": view.run.text,
        "reason": view.run.reason,
        "result": view.run.result,
        "model": view.model,
        "lead": lead_object(lead),
        "deals": [
            {"deal_id": deal.deal_id, "service": deal.service.value, "summary": deal.summary}
            for deal in view.deals
        ],
        "escalations": [{"reason": reason} for reason in view.escalations],
        "replies": [_reply(proposal, lead) for proposal in view.proposals if "text" in proposal.arguments],
        "proposals": [_proposal(proposal) for proposal in view.proposals],
    }


def lead_object(lead: Lead) -> JsonObject:
    """Who asks, how they can be reached, and what for."""
    return {
        "id": lead.lead_id,
        "source": lead.source,
        "name": lead.given_name,
        "phone": lead.phone,
        "phones": [_phone(phone) for phone in lead.phones],
        "emails": list(lead.emails),
        "message": lead.message,
    }


def lead_line(view: LeadView) -> JsonObject:
    """One line of `lead-agent leads --json`."""
    lead = view.lead
    return lead_object(lead) | {
        "raw_only": lead.raw_only,
        "spam": lead.spam,
        "contact_id": Contact.name_of(view.standing),
        "created_at": iso(view.created_at),
        "waits_until": iso(view.waits_until),
    }


def _phone(phone: Phone) -> JsonObject:
    return {
        "raw": phone.raw,
        "e164": phone.e164,
        "extension": phone.extension,
        "confidence": phone.confidence.value,
    }


def report_object(report: RunReport, tariff: Tariff) -> JsonObject:
    """The object of `lead-agent show --json`."""
    usage = report.view.run.usage
    return run_object(report.view, report.cost(tariff)) | {
        "tokens_by_kind": {
            "input": usage.input,
            "output": usage.output,
            "cache_read": usage.cache_read,
            "cache_write": usage.cache_write,
        },
        "units": dict(report.units),
        "versions": report.versions.as_json(),
    }


def _reply(proposal: Proposal, lead: Lead) -> JsonObject:
    """`state`: "delivered" only where a person says so; `address` is empty where there is none."""
    route = proposal.route
    return {
        "text": proposal.arguments["text"],
        "channel": route.kind.value if route else lead.source,
        "address": route.address if route else "",
        "state": "delivered" if proposal.delivered else proposal.state.value,
    }


def _proposal(proposal: Proposal) -> JsonObject:
    return {
        "proposal_id": proposal.proposal_id,
        "tool": proposal.tool,
        "arguments": proposal.arguments,
        "available": proposal.available,
        "irreversible": proposal.irreversible,
        "confirmation_status": proposal.confirmation.value,
        "execution_status": proposal.execution.value,
        "decided_by": _person(proposal.decided_by),
        "decided_at": iso(proposal.decided_at),
        "note": proposal.note,
        "version": proposal.version,
        "edited_by": _person(proposal.edited_by),
        "reason": proposal.reason,
        "settled_by": _person(proposal.settled_by),
    }


def _person(person: Person | None) -> JsonObject | None:
    return {"id": person.id, "name": person.name} if person else None
