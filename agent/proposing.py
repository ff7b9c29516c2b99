"""Putting external calls before the people: what they are asked about, and what they should look at."""

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

from agent import transcript
from agent.casework import requirement_of
from agent.channels import Route
from agent.grounding import MOST, ungrounded
from agent.journal import Kind
from agent.jsontext import JsonObject, digest
from agent.marks import ANSWERED_FOR, Mark, doubts
from agent.proposals import Proposal, ProposalState, new_token
from agent.recordings import parsed
from agent.suspicion import instructions_in
from agent.tools import Arguments, Risk, Tool
from agent.transcript import Call
from agent.turn import Turn

# Of one reply; a card of more could not show every text whole.
MOST_ON_A_CARD = 5


def propose_call(
    turn: Turn, call: Call, tool: Tool, arguments: Arguments, *, batch: int | None = None
) -> None:
    """Ask people about a call: anew, or as the next version of what they sent back with a remark."""
    frozen = arguments.as_json()
    sent_back = _sent_back(tool, turn.proposals.values())
    if sent_back is None:
        route = tool.route_to(turn.lead)
        propose(turn, call.id, tool.name, frozen, available=tool.available, route=route, batch=batch)
        return
    marks = _marks(turn, frozen)
    revised = sent_back.revised(
        frozen,
        by=None,
        call_id=call.id,
        at=turn.at,
        expires_at=turn.at + turn.policy.approval_ttl,
        remind_at=turn.policy.reminding.first(turn.at),
        marks=marks,
        quorum=_quorum(turn, tool.name, frozen, marks),
    )
    turn.revise(sent_back, revised)


def propose_beside(turn: Turn, first: Call) -> None:
    """Have the external calls that follow at once in the same reply decided beside the first, on its card.

    What stands behind a read or write call waits, for calls are run in the model's order.
    """
    proposal = turn.proposals.get(first.id)
    if proposal is None or proposal.state is not ProposalState.PENDING:
        return
    _, *following = transcript.open_calls(turn.messages)
    for call in following[: MOST_ON_A_CARD - 1]:
        tool = turn.tools.get(call.name)
        if tool is None or tool.risk is not Risk.EXTERNAL or call.id in turn.proposals:
            return
        if is_turned_down(turn, tool):
            return
        try:
            arguments = tool.arguments.parse(call.input)
        except ValidationError:
            return
        propose_call(turn, call, tool, arguments, batch=proposal.card)


def propose(
    turn: Turn,
    call_id: str,
    tool: str,
    frozen: JsonObject,
    *,
    available: bool,
    route: Route | None = None,
    name: str | None = None,
    batch: int | None = None,
) -> Proposal:
    """Put an action with its frozen arguments, and the way it would leave, before the people."""
    marks = _marks(turn, frozen)
    proposal = turn.tx.proposals.create(
        Proposal(
            id=0,
            run_id=turn.run.id,
            call_id=call_id,
            tool=tool,
            arguments=frozen,
            arguments_hash=digest(frozen),
            token=new_token(),
            state=ProposalState.PENDING,
            created_at=turn.at,
            expires_at=turn.at + turn.policy.approval_ttl,
            available=available,
            irreversible=turn.policy.policies.tool(tool).irreversible,
            name=name,
            batch=batch,
            route=route,
            marks=marks,
            quorum=_quorum(turn, tool, frozen, marks),
            pending_since=turn.at,
            remind_at=turn.policy.reminding.first(turn.at),
        )
    )
    turn.proposals[call_id] = proposal
    turn.record(Kind.PROPOSAL, tool, proposal.state, input=frozen, proposal=proposal)
    return proposal


def is_turned_down(turn: Turn, tool: Tool) -> bool:
    """Whether people said no to this tool in this run, or did not answer: they are not asked again.

    What a person wants written again they are asked about.
    """
    no = (ProposalState.DENIED, ProposalState.EXPIRED)
    proposals = turn.proposals.values()
    refused = any(proposal.tool == tool.name and proposal.state in no for proposal in proposals)
    return refused and _sent_back(tool, proposals) is None


def _sent_back(tool: Tool, earlier: Iterable[Proposal]) -> Proposal | None:
    """The proposal that a person wants written again with this tool."""
    waiting = (item for item in earlier if item.state is ProposalState.REVISING and item.tool == tool.name)
    return next(waiting, None)


def _quorum(turn: Turn, tool: str, frozen: JsonObject, marks: tuple[Mark, ...]) -> int:
    policies = turn.policy.policies
    return requirement_of(policies, turn.tx, turn.run, tool, frozen, marks=len(doubts(marks))).quorum


def _marks(turn: Turn, frozen: JsonObject) -> tuple[Mark, ...]:
    """What of a draft no source says, and what in the lead's words looks like an order."""
    text = frozen.get("text")
    if not isinstance(text, str):
        return ()
    words = [turn.lead.message, *_further(turn.messages)]
    sources = [turn.lead.name, turn.lead.phone or "", *turn.lead.emails, *words]
    told = [turn.system, *turn.policy.policies.facts, *_results(turn.messages)]
    return ungrounded(text, [*sources, *told]) + instructions_in("\n".join([turn.lead.name, *words]))


def promises(turn: Turn, text: str) -> bool:
    """Whether a draft names figures, sums, days, times, links or addresses that the company does not say.

    What only the lead said, or the agent told before, is a promise where it is said back; and a form may
    name somebody else's address, whom a stranger's link must not reach in the company's name.  A draft of so
    many claims that not all are looked at is taken for one that does.
    """
    found = ungrounded(text, [turn.system, *turn.policy.policies.facts])
    return len(found) == MOST or any(mark.kind in ANSWERED_FOR for mark in found)


def _further(messages: Iterable[JsonObject]) -> Iterator[str]:
    """What the lead wrote during the run."""
    for message in messages:
        if message["role"] == "user":
            yield from _texts(transcript.data_in(message, transcript.FURTHER))


def _results(messages: Iterable[JsonObject]) -> Iterator[str]:
    """What tools gave: the history, the deals; and what a person remarked on a draft."""
    for message in messages:
        for block in message["content"]:
            if block["type"] == "tool_result":
                yield from _texts(parsed(block["content"]) or block["content"])


def _texts(value: Any) -> Iterator[str]:
    """All texts and numbers in a JSON value, without its keys."""
    match value:
        case str():
            yield value
        case dict():
            for item in value.values():
                yield from _texts(item)
        case list():
            for item in value:
                yield from _texts(item)
        case int() | float():
            yield str(value)
