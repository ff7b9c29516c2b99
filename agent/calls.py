"""Gating tool calls: unknown, invalid, external (propose and wait), or run inside the company."""

import logging
from collections.abc import Iterable
from time import monotonic
from typing import assert_never

from pydantic import ValidationError

from agent import transcript
from agent.errors import LeadAgentError
from agent.journal import Kind, ToolOutcome
from agent.jsontext import JsonObject, clean, digest, dumps
from agent.proposals import Proposal, ProposalState, new_token
from agent.tools import Arguments, Risk, Scope, Tool, complaint
from agent.transcript import Call
from agent.turn import Turn

log = logging.getLogger(__name__)

REJECTED = "Rejected by a human operator. Do not retry this action; finish and report."
EXPIRED = "No operator decided in time, so it was not done. Do not retry this action; finish and report."
BROKEN = "Internal error in the tool. Escalate to a manager."
FAILED = "Approved, but it failed: {note}. Do not retry this action; escalate to a manager."
NOT_CONNECTED = "no such tool is connected"


def settle(turn: Turn) -> None:
    """Give every open call its result, one by one in the model's order, until one waits for a person."""
    for call in transcript.open_calls(turn.messages):
        fragment = _gate(turn, call)
        if fragment is None:
            return turn.pause()
        turn.add(fragment)
    return turn.go_on()


def _gate(turn: Turn, call: Call) -> JsonObject | None:
    """The result of one call, or None while a person has to decide."""
    started = monotonic()
    proposal = turn.proposals.get(call.id)
    if proposal is not None:
        return _result_of(turn, call, proposal)
    tool = turn.tools.get(call.name)
    if tool is None:
        return _fail(
            turn,
            call,
            ToolOutcome.UNKNOWN_TOOL,
            f"Unknown tool {call.name}. Use one of: {', '.join(turn.tools)}.",
        )
    try:
        arguments = tool.arguments.parse(call.input)
    except ValidationError as error:
        advice = f"Invalid arguments:\n{complaint(error)}\nCorrect them and call the tool again."
        return _fail(turn, call, ToolOutcome.INVALID, advice)
    if tool.risk is not Risk.EXTERNAL:
        return _run(turn, call, tool, arguments, started)
    if _was_turned_down(tool, turn.proposals.values()):
        return _fail(turn, call, ToolOutcome.REJECTED, REJECTED)
    _propose(turn, call, tool, arguments)
    return None


def _fail(turn: Turn, call: Call, outcome: ToolOutcome, content: str) -> JsonObject:
    turn.record(Kind.TOOL, call.name, outcome, input=call.input)
    return transcript.result(call, content, is_error=True)


def _run(turn: Turn, call: Call, tool: Tool, arguments: Arguments, started: float) -> JsonObject:
    """A read or write tool: its effect, its result and its record are one transaction."""
    assert tool.run is not None, "read and write tools run inside"
    scope = Scope(lead=turn.lead, run=turn.run, crm=turn.tx.crm, at=turn.at)
    try:
        with turn.tx.savepoint():
            content = dumps(clean(tool.run(arguments, scope)))
    except LeadAgentError:
        raise
    except Exception:  # a tool is foreign code: its fault is the model's to hear of, and ends no run
        log.exception("tool %s failed in %s", tool.name, turn.run.run_id)
        return _fail(turn, call, ToolOutcome.ERROR, BROKEN)
    ms = round((monotonic() - started) * 1000)
    turn.record(Kind.TOOL, call.name, ToolOutcome.OK, ms, input=arguments.as_json())
    return transcript.result(call, content)


def _was_turned_down(tool: Tool, earlier: Iterable[Proposal]) -> bool:
    """Whether people said no to this tool in this run, or did not answer: they are not asked again."""
    no = (ProposalState.DENIED, ProposalState.EXPIRED)
    return any(proposal.tool == tool.name and proposal.state in no for proposal in earlier)


def _propose(turn: Turn, call: Call, tool: Tool, arguments: Arguments) -> None:
    frozen = arguments.as_json()
    proposal = turn.tx.proposals.create(
        Proposal(
            id=0,
            run_id=turn.run.id,
            call_id=call.id,
            tool=tool.name,
            arguments=frozen,
            arguments_hash=digest(frozen),
            token=new_token(),
            state=ProposalState.PENDING,
            created_at=turn.at,
            expires_at=turn.at + turn.policy.approval_ttl,
            available=tool.available,
        )
    )
    turn.proposals[call.id] = proposal
    turn.record(Kind.PROPOSAL, tool.name, proposal.state, input=frozen, proposal=proposal)


def _result_of(turn: Turn, call: Call, proposal: Proposal) -> JsonObject | None:
    """What the model is told of an external call: read off the proposal, so it is the same after a crash."""
    match proposal.state:
        case ProposalState.PENDING | ProposalState.EXECUTING | ProposalState.UNCERTAIN:
            return None
        case ProposalState.APPROVED if proposal.available:
            return None
        case ProposalState.EXECUTED:
            _record_decided(turn, call, ToolOutcome.OK, proposal)
            return transcript.result(call, dumps({"sent": True}))
        case ProposalState.DENIED:
            outcome, content = ToolOutcome.REJECTED, REJECTED
        case ProposalState.EXPIRED | ProposalState.SUPERSEDED:
            outcome, content = ToolOutcome.REJECTED, EXPIRED
        case ProposalState.FAILED | ProposalState.APPROVED:
            outcome, content = ToolOutcome.ERROR, FAILED.format(note=proposal.note or NOT_CONNECTED)
        case _:
            assert_never(proposal.state)
    _record_decided(turn, call, outcome, proposal)
    return transcript.result(call, content, is_error=True)


def _record_decided(turn: Turn, call: Call, outcome: ToolOutcome, proposal: Proposal) -> None:
    ms = max(0, (proposal.executed_at or turn.at) - (proposal.began_at or turn.at))
    turn.record(Kind.TOOL, call.name, outcome, ms, input=proposal.arguments, proposal=proposal)


def still_fits(turn: Turn, proposal: Proposal) -> tuple[Tool, Arguments] | None:
    """Today's tool and the frozen arguments, if what was approved still is exactly what would be done."""
    tool = turn.tools.get(proposal.tool)
    if tool is None or tool.send is None or not proposal.unaltered:
        return None
    try:
        arguments = tool.arguments.parse(proposal.arguments)
    except ValidationError:
        return None
    return (tool, arguments) if arguments.as_json() == proposal.arguments else None
