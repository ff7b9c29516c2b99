"""Gating tool calls: unknown, invalid, external (propose and wait), or run inside the company."""

import logging
from time import monotonic
from typing import assert_never

from pydantic import ValidationError

from agent import passing, proposing, transcript
from agent.errors import CallRefused, Failure, LeadAgentError, ToolFailed
from agent.journal import Kind, ToolOutcome
from agent.jsontext import JsonObject, clean, dumps
from agent.proposals import Proposal, ProposalState
from agent.tools import Arguments, Risk, Scope, Tool, complaint
from agent.transcript import Call
from agent.turn import Turn

log = logging.getLogger(__name__)

REJECTED = "Rejected by a human operator. Do not retry this action; finish and report."
REJECTED_BECAUSE = (
    "Rejected by a human operator, who says: {reason}. Do not retry this action; finish and report."
)
OUTDATED = (
    "Not done: the lead wrote again before an operator decided. Read the lead's new words, then act on all "
    "of them together."
)
REVISE = (
    "Not done yet: a human operator asks for other words: {remark}. Call {tool} again with the text changed "
    "accordingly."
)
EXPIRED = "No operator decided in time, so it was not done. Do not retry this action; finish and report."
BROKEN = "Internal error in the tool. Escalate to a manager."
UNREAD = "The tool failed: {failure}. Do not call it again; finish and report."
ONCE = "It has given its result in this run before. Use that one."
FAILED = "Approved, but it failed: {note}. Do not retry this action; escalate to a manager."
NOT_CONNECTED = "no such tool is connected"


def settle(turn: Turn) -> None:
    """Give every open call its result, one by one in the model's order, until one waits for a person."""
    for call in transcript.open_calls(turn.messages):
        fragment = _gate(turn, call)
        if fragment is None:
            proposing.propose_beside(turn, call)
            return turn.pause()
        turn.add(fragment)
        if turn.run.status.over:  # on what the tool said
            return None
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
    if proposing.is_turned_down(turn, tool):
        return _fail(turn, call, ToolOutcome.REJECTED, REJECTED)
    if turn.tx.runs.has_unread(turn.run):  # nobody is asked about words that are out of date already
        return _fail(turn, call, ToolOutcome.REJECTED, OUTDATED)
    proposing.propose_call(turn, call, tool, arguments)
    passing.let_pass(turn, call)
    return None


def _fail(turn: Turn, call: Call, outcome: ToolOutcome, content: str) -> JsonObject:
    turn.record(Kind.TOOL, call.name, outcome, input=call.input)
    return transcript.result(call, content, is_error=True)


def _run(turn: Turn, call: Call, tool: Tool, arguments: Arguments, started: float) -> JsonObject:
    """A read or write tool: its effect, its result and its record are one transaction."""
    if tool.once and tool.name in transcript.answered(turn.messages):
        return _fail(turn, call, ToolOutcome.REJECTED, ONCE)
    for attempt in range(1, tool.retries + 2):
        try:
            content = _inside(turn, tool, arguments, attempt)
        except CallRefused as refusal:
            return _fail(turn, call, ToolOutcome.REJECTED, str(refusal))
        except ToolFailed as fault:
            failure = fault.failure
            _record_try(turn, tool, arguments, ms=_ms(started), attempt=attempt, failure=failure)
            if failure is not Failure.TEMPORARY_ERROR:
                break
        else:
            _record_try(turn, tool, arguments, ms=_ms(started), attempt=attempt)
            return transcript.result(call, content)
    if turn.concluding is not None:
        turn.conclude(turn.concluding.failed(turn.lead, failure))
    advice = BROKEN if failure is Failure.UNKNOWN_RESULT else UNREAD.format(failure=failure)
    return transcript.result(call, advice, is_error=True)


def _ms(started: float) -> int:
    return round((monotonic() - started) * 1000)


def _inside(turn: Turn, tool: Tool, arguments: Arguments, attempt: int) -> str:
    """What the tool gives, as JSON; ToolError for all that it may fail by, undone as if never called."""
    assert tool.run is not None, "read and write tools run inside"
    scope = Scope(lead=turn.lead, run=turn.run, crm=turn.tx.crm, at=turn.at, attempt=attempt)
    try:
        with turn.tx.savepoint():
            return dumps(clean(tool.run(arguments, scope)))
    except LeadAgentError:
        raise
    except Exception as fault:  # a tool is foreign code: its fault is the model's to hear of
        log.exception("tool %s failed in %s", tool.name, turn.run.run_id)
        raise ToolFailed(Failure.UNKNOWN_RESULT) from fault


def _record_try(
    turn: Turn, tool: Tool, arguments: Arguments, *, ms: int, attempt: int, failure: Failure | None = None
) -> None:
    """One try of a tool; which one it was, and how it failed, is told where the engine may try again."""
    turn.record(
        Kind.TOOL,
        tool.name,
        ToolOutcome.ERROR if failure else ToolOutcome.OK,
        ms,
        input=arguments.as_json(),
        attempt=attempt if tool.retries else None,
        note=failure if tool.retries else None,
    )


def _result_of(turn: Turn, call: Call, proposal: Proposal) -> JsonObject | None:
    """What the model is told of an external call: read off the proposal, so it is the same after a crash."""
    match proposal.state:
        case ProposalState.PENDING | ProposalState.EXECUTING | ProposalState.UNCERTAIN:
            return None
        case ProposalState.APPROVED if proposal.available:
            return None
        case ProposalState.EXECUTED | ProposalState.HANDED_OVER:
            _record_decided(turn, call, ToolOutcome.OK, proposal)
            return transcript.result(call, dumps(_sent(proposal)))
        case ProposalState.DENIED:
            reason = proposal.reason
            content = REJECTED_BECAUSE.format(reason=reason) if reason else REJECTED
            outcome = ToolOutcome.REJECTED
        case ProposalState.REVISING:
            content = REVISE.format(remark=proposal.remark, tool=proposal.tool)
            outcome = ToolOutcome.REJECTED
        case ProposalState.EXPIRED:
            outcome, content = ToolOutcome.REJECTED, EXPIRED
        case ProposalState.SUPERSEDED:
            outcome, content = ToolOutcome.REJECTED, OUTDATED
        case ProposalState.FAILED | ProposalState.APPROVED:
            outcome, content = ToolOutcome.ERROR, FAILED.format(note=proposal.note or NOT_CONNECTED)
        case _:
            assert_never(proposal.state)
    _record_decided(turn, call, outcome, proposal)
    return transcript.result(call, content, is_error=True)


def _sent(proposal: Proposal) -> JsonObject:
    """What the model is told of an action that was carried out: also the words, where they are a person's."""
    handed_over = proposal.state is ProposalState.HANDED_OVER
    told: JsonObject = {"sent": False, "handed_over_to_operator": True} if handed_over else {"sent": True}
    if proposal.edited_by is None:
        return told
    return {**told, "edited_by_operator": True, **proposal.arguments}


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
