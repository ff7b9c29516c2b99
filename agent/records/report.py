"""A record run in the specification's form: its counts and journal lines, read off the rows alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.journal import Kind, Record, ToolOutcome
from agent.jsontext import JsonObject
from agent.proposals import ProposalState, Verdict
from agent.records.result import Reason, RecordResult, Status
from agent.records.tool import NAME as READ
from agent.runs import Run, RunStatus

_VERDICTS = {
    Verdict.APPROVE.value: ProposalState.APPROVED,
    Verdict.DENY.value: ProposalState.DENIED,
    ProposalState.EXPIRED.value: ProposalState.EXPIRED,
}
_OVER = frozenset(status.value for status in RunStatus if status.over)
# Reasons that an earlier line of the same run has told already.
_TOLD = frozenset(
    {
        Reason.MISSING_RECORD_ID,
        Reason.FORBIDDEN,
        Reason.NOT_FOUND,
        Reason.UNKNOWN_RESULT,
        Reason.UNTRUSTED_INSTRUCTION_DETECTED,
        Reason.HUMAN_DENIED,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """What a run did.  Retries and successes are among the reads; change calls change something anywhere."""

    reads: int
    retries: int
    successes: int
    model_calls: int
    change_calls: int

    @classmethod
    def of(cls, records: Sequence[Record]) -> "Counts":
        reads = [record for record in records if _is_read(record)]
        return cls(
            reads=len(reads),
            retries=sum(record.attempt != 1 for record in reads),
            successes=sum(record.outcome == ToolOutcome.OK for record in reads),
            model_calls=sum(record.kind is Kind.MODEL for record in records),
            change_calls=sum(_changes(record) for record in records),
        )


def _is_read(record: Record) -> bool:
    """Whether the source was asked: a call that was refused beforehand has no attempt."""
    return record.kind is Kind.TOOL and record.name == READ and record.attempt is not None


def _changes(record: Record) -> bool:
    began = record.kind is Kind.EXECUTION and record.outcome == ProposalState.EXECUTING
    inside = record.kind is Kind.TOOL and record.name != READ and record.outcome == ToolOutcome.OK
    return began or inside


def lines(run: Run, records: Sequence[Record]) -> list[str]:
    """`run_id: demo-003 | step: read | attempt: 1 | result: success`, a line for each step that counts.

    As in the specification, a run that asks for a confirmation is told from there on.
    """
    result = RecordResult.model_validate(run.result) if run.result else None
    confirming = any(record.kind is Kind.PROPOSAL for record in records)
    return [
        _line(run_id=run.run_id, **fields)
        for record in records
        for fields in _steps(record, result, records)
        if not (confirming and _is_read(record))
    ]


def object_lines(result: JsonObject) -> list[str]:
    """The result as the specification writes objects, a field a line."""
    return [f"{name}: {_value(value)}" for name, value in result.items()]


def _steps(
    record: Record, result: RecordResult | None, records: Sequence[Record]
) -> Iterator[dict[str, object]]:
    """The fields of the lines that one record makes: none or one."""
    match record.kind:
        case Kind.TOOL if _is_read(record):
            yield {"step": "read", "attempt": record.attempt, "result": record.note or "success"}
        case Kind.CHECK:
            yield {"step": record.name, "result": record.outcome}
        case Kind.PROPOSAL:
            yield {
                "proposal_id": record.proposal_id,
                "step": "confirm",
                "status": Status.AWAITING_CONFIRMATION,
            }
        case Kind.DECISION:
            yield {
                "proposal_id": record.proposal_id,
                "step": "decision",
                "result": _VERDICTS.get(record.outcome, record.outcome),
            }
        case Kind.RUN if result is not None and record.outcome in _OVER:
            yield _end(result, Counts.of(records))


def _end(result: RecordResult, counts: Counts) -> dict[str, object]:
    """The last line: in which order it says what depends on how the run ended, as in the specification."""
    reason = None if result.reason in _TOLD else result.reason
    if result.action_request is not None:
        return {
            "proposal_id": result.action_request.proposal_id,
            "step": "finish" if result.reason is Reason.WRITE_TOOL_UNAVAILABLE else "cancel",
            "status": result.status,
            "result": reason,
            "change_calls": counts.change_calls,
        }
    if result.status is Status.COMPLETED:
        return {
            "step": "handoff" if result.needs_human else "finish",
            "result": reason,
            "status": result.status,
        }
    end: dict[str, object] = {"step": "finish", "result": reason, "status": result.status}
    if result.reason is Reason.MISSING_RECORD_ID:
        return end | {"model_calls": counts.model_calls, "tool_calls": counts.reads}
    return end if reason else end | {"retry": counts.retries}


def _line(**fields: object) -> str:
    return " | ".join(f"{name}: {value}" for name, value in fields.items() if value is not None)


def _value(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case dict():
            inside = ", ".join(f"{name}: {_value(item)}" for name, item in value.items())
            return f"{{{inside}}}"
        case _:
            return str(value)
