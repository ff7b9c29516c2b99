"""The states of a record run, read off its journal.

validating_input ──> reading ──> retrying ──┐
       │                ├───────────────────┼──> awaiting_confirmation ──> failed | denied
       └──> failed      └───────────────────┴──> completed | failed | denied
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import pairwise

from agent.journal import Kind, Record
from agent.runs import RunStatus


class RecordState(StrEnum):
    """See the drawing above."""

    VALIDATING_INPUT = "validating_input"
    READING = "reading"
    RETRYING = "retrying"
    AWAITING_CONFIRMATION = "awaiting_confirmation"
    COMPLETED = "completed"
    FAILED = "failed"
    DENIED = "denied"


_ENDS = frozenset({RecordState.COMPLETED, RecordState.FAILED, RecordState.DENIED})
_NEXT: dict[RecordState, frozenset[RecordState]] = {
    RecordState.VALIDATING_INPUT: frozenset({RecordState.READING, RecordState.FAILED}),
    RecordState.READING: _ENDS | {RecordState.RETRYING, RecordState.AWAITING_CONFIRMATION},
    RecordState.RETRYING: _ENDS | {RecordState.AWAITING_CONFIRMATION},
    RecordState.AWAITING_CONFIRMATION: frozenset({RecordState.FAILED, RecordState.DENIED}),
    **{end: frozenset() for end in _ENDS},
}
_BY_STATUS = {
    RunStatus.DONE.value: RecordState.COMPLETED,
    RunStatus.FAILED.value: RecordState.FAILED,
    RunStatus.DENIED.value: RecordState.DENIED,
}


def legal(path: Sequence[RecordState]) -> bool:
    """Whether the drawing has every arrow of `path`, from its first state on."""
    return path[:1] == [RecordState.VALIDATING_INPUT] and all(
        after in _NEXT[before] for before, after in pairwise(path)
    )


def path(records: Sequence[Record]) -> list[RecordState]:
    """The states that a run has gone through so far, in order."""
    return [RecordState.VALIDATING_INPUT, *_entered(records)]


def _entered(records: Sequence[Record]) -> Iterator[RecordState]:
    for record in records:
        if record.kind is Kind.TOOL and record.attempt is not None:
            yield RecordState.READING if record.attempt == 1 else RecordState.RETRYING
        elif record.kind is Kind.PROPOSAL:
            yield RecordState.AWAITING_CONFIRMATION
        elif record.kind is Kind.RUN and (end := _BY_STATUS.get(record.outcome)):
            yield end
