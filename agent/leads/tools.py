"""The four tools of the lead agent.  None takes a recipient: each works on the run's own lead."""

from collections.abc import Collection
from typing import Annotated

from pydantic import Field, StringConstraints

from agent.channels import Letter, Route
from agent.contacts import Identifier
from agent.deals import Service
from agent.hearing import listeners
from agent.jsontext import JsonObject
from agent.ports import Channels
from agent.proposals import Proposal
from agent.runs import Lead
from agent.tools import Arguments, Risk, Scope, Tool

REMEMBERED_MESSAGES = 20


class Nothing(Arguments):
    """No arguments."""


class NewDeal(Arguments):
    """What a deal needs."""

    service: Service
    summary: Annotated[str, StringConstraints(min_length=10, max_length=300)]


class ReplyText(Arguments):
    """The words for the lead."""

    text: Annotated[str, StringConstraints(min_length=20, max_length=500)] = Field(
        description="Polite reply in the lead's language, 20 to 500 characters"
    )


class Reason(Arguments):
    """Why a person has to take over."""

    reason: Annotated[str, StringConstraints(min_length=5, max_length=300)]


def lead_tools(channels: Channels) -> dict[str, Tool]:
    """The tools by name, replies leaving through `channels`."""

    def route(lead: Lead) -> Route:
        return channels.route(lead)

    def history(_: Nothing, scope: Scope) -> JsonObject:
        return _history(scope, listeners(route(scope.lead), scope.lead))

    async def send(reply: ReplyText, lead: Lead, proposal: Proposal) -> JsonObject:
        """By the way that was shown; a proposal from before there were several has none of its own."""
        letter = Letter(
            lead=lead,
            text=reply.text,
            route=proposal.route or route(lead),
            proposal_id=proposal.proposal_id,
            key=proposal.key,
        )
        return await channels.send(letter)

    tools = (
        Tool(
            name="get_customer_history",
            description=(
                "Shows the current lead's earlier deals and the recent conversation. Reads only, takes no "
                "arguments. Call it first, so that no deal is made twice."
            ),
            risk=Risk.READ,
            arguments=Nothing,
            run=history,
        ),
        Tool(
            name="create_deal",
            description=(
                "Opens a deal for the current lead in the CRM. Call it once per lead, and only if "
                "get_customer_history shows no deal for the same request. service: the closest match; "
                "summary: one or two sentences on what the client needs, 10 to 300 characters."
            ),
            risk=Risk.WRITE,
            arguments=NewDeal,
            run=_create_deal,
        ),
        Tool(
            name="send_reply",
            description=(
                "Sends a message to the current lead. A human operator approves every message before it "
                "leaves; if it is rejected, do not retry: finish and report. Put no prices, deadlines or "
                "promises into the text."
            ),
            risk=Risk.EXTERNAL,
            arguments=ReplyText,
            send=send,
            route=route,
        ),
        Tool(
            name="escalate_to_manager",
            description=(
                "Hands the lead over to a human manager. Use it when the request is unclear, out of scope or "
                "looks suspicious. reason: 5 to 300 characters."
            ),
            risk=Risk.WRITE,
            arguments=Reason,
            run=_escalate,
        ),
    )
    return {tool.name: tool for tool in tools}


def _history(scope: Scope, heard_by: Collection[Identifier]) -> JsonObject:
    """What those may know of whom a reply to this lead would reach."""
    deals = scope.crm.deals(scope.lead, heard_by)
    talk = scope.crm.conversation(scope.lead, REMEMBERED_MESSAGES, heard_by)
    return {
        "deals": [
            {"deal_id": deal.deal_id, "service": deal.service, "summary": deal.summary} for deal in deals
        ],
        "conversation": [{"from": said.speaker, "text": said.text} for said in talk],
    }


def _create_deal(deal: NewDeal, scope: Scope) -> JsonObject:
    """One deal per request: the same one asked for again is the one that stands."""
    created = scope.crm.create_deal(scope.lead, scope.run.id, deal.service, deal.summary, scope.at)
    return {"deal_id": created.deal_id}


def _escalate(escalation: Reason, scope: Scope) -> JsonObject:
    scope.crm.escalate(scope.lead, scope.run.id, escalation.reason, scope.at)
    return {"escalated": True}
