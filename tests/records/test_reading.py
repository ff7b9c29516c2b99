"""Typed errors of the one tool: tried again once and only when temporary, then ended by the program."""

import pytest

from agent.errors import Failure
from agent.journal import Kind
from agent.records.source import SyntheticSource
from agent.records.states import RecordState, legal
from agent.runs import RunStatus
from bot.sandbox.model_faults import Fault, FaultKind
from bot.sandbox.script import turn
from tests.company import SECOND
from tests.records.desk import Desk, answering, asking, reading

TEMPORARY, FORBIDDEN, NOT_FOUND = Failure.TEMPORARY_ERROR, Failure.FORBIDDEN, Failure.NOT_FOUND
FINE = asking("Нужна обработка", "2026-10-15")


@pytest.mark.parametrize(
    ("outcomes", "reads", "status", "reason", "last"),
    [
        ((FINE,), 1, "completed", None, "step: finish | status: completed"),
        ((TEMPORARY, FINE), 2, "completed", None, "step: finish | status: completed"),
        (
            (TEMPORARY, TEMPORARY, FINE),
            2,
            "failed",
            "retry_exhausted",
            "step: finish | result: retry_exhausted | status: failed",
        ),
        ((FORBIDDEN, FINE), 1, "denied", "forbidden", "step: finish | status: denied | retry: 0"),
        ((NOT_FOUND, FINE), 1, "failed", "not_found", "step: finish | status: failed | retry: 0"),
        ((TEMPORARY, FORBIDDEN), 2, "denied", "forbidden", "step: finish | status: denied | retry: 1"),
        ((TEMPORARY, NOT_FOUND), 2, "failed", "not_found", "step: finish | status: failed | retry: 1"),
    ],
    ids=["fine", "second", "never", "forbidden", "missing", "then forbidden", "then missing"],
)
async def test_a_read_is_tried_again_once_and_only_after_a_temporary_error(
    desk: Desk, outcomes: tuple[object, ...], reads: int, status: str, reason: str | None, last: str
) -> None:
    """Each try is a line of the journal; the end comes without another call of the model."""
    source = desk.holds(R_100=outcomes)
    run = await desk.classified("R-100")
    result = await desk.result(run)
    assert source.asked == [("R-100", attempt) for attempt in range(1, reads + 1)]
    assert (result.status, result.reason) == (status, reason)
    lines = await desk.lines(run)
    tries = [line for line in lines if "step: read" in line]
    assert [f"attempt: {number}" in line for number, line in enumerate(tries, 1)] == [True] * reads
    assert lines[-1] == f"run_id: demo-100 | {last}"
    assert (await desk.counts(run)).model_calls == (2 if status == "completed" else 1)
    await desk.states(run)


async def test_an_unknown_record_is_not_found(desk: Desk) -> None:
    """By the source's word; no neighbouring record is tried."""
    source = desk.holds()
    run = await desk.classified("R-404")
    assert source.asked == [("R-404", 1)]
    assert (run.run_id, (await desk.result(run)).reason) == ("demo-404", "not_found")


class Broken(SyntheticSource):
    """Raises what no type says."""

    def read(self, record_id: str, attempt: int) -> object:  # type: ignore[override]
        raise OSError(f"{record_id} {attempt}")


class Odd(SyntheticSource):
    """Gives what is no record."""

    def read(self, record_id: str, attempt: int) -> object:  # type: ignore[override]
        return {"text": 5}


@pytest.mark.parametrize("source", [Broken({}), Odd({})], ids=["raises", "gives nonsense"])
async def test_an_unknown_result_ends_the_run_without_another_try(
    desk: Desk, source: SyntheticSource
) -> None:
    """Only an explicit type allows a retry."""
    desk.source = source
    desk.deploy()
    run = await desk.classified("R-001")
    result = await desk.result(run)
    assert (result.status, result.reason) == ("failed", "unknown_result")
    assert await desk.lines(run) == [
        "run_id: demo-001 | step: read | attempt: 1 | result: unknown_result",
        "run_id: demo-001 | step: finish | status: failed | retry: 0",
    ]


async def test_the_journal_keeps_the_interfaces_outcomes(desk: Desk) -> None:
    """Tool records are ok or error; the try and the type of the error stand beside it."""
    tools = [
        {key: record.as_json().get(key) for key in ("name", "outcome", "attempt", "note", "input")}
        for record in await desk.journal(await desk.classified("R-003"))
        if record.kind is Kind.TOOL
    ]
    wanted = {"name": "read_demo_record", "input": {"record_id": "R-003"}}
    assert tools == [
        wanted | {"outcome": "error", "attempt": 1, "note": "temporary_error"},
        wanted | {"outcome": "ok", "attempt": 2, "note": None},
    ]


async def test_a_passing_fault_of_the_model_is_waited_for(desk: Desk) -> None:
    """The run goes back into the queue and then comes to the same result."""
    desk.api.inject(Fault(kind=FaultKind.OVERLOADED))
    run = await desk.classified("R-001")
    assert (run.status, run.result) == (RunStatus.QUEUED, None)
    desk.clock.forward(2 * SECOND)
    run = await desk.work(run)
    assert (await desk.result(run)).status == "completed"


async def test_a_read_that_follows_a_refusal_is_the_first_try(desk: Desk) -> None:
    """A refused call reads nothing and counts as no try."""
    source = desk.holds(R_100=(TEMPORARY, FINE))
    turns = (turn(reading("R-1")), turn(reading("R-100")), answering(requested_date="2026-10-15"))
    run = await desk.classified("R-100", *turns)
    assert source.asked == [("R-100", 1), ("R-100", 2)]
    assert (await desk.result(run)).status == "completed"


S = RecordState


@pytest.mark.parametrize(
    "path",
    [
        [],
        [S.READING],
        [S.VALIDATING_INPUT, S.COMPLETED],
        [S.VALIDATING_INPUT, S.RETRYING],
        [S.VALIDATING_INPUT, S.READING, S.RETRYING, S.RETRYING],
        [S.VALIDATING_INPUT, S.READING, S.READING],
        [S.VALIDATING_INPUT, S.READING, S.AWAITING_CONFIRMATION, S.COMPLETED],
        [S.VALIDATING_INPUT, S.READING, S.COMPLETED, S.FAILED],
    ],
    ids=str,
)
def test_other_paths_are_illegal(path: list[RecordState]) -> None:
    """A third try, an end after the end, a classification without a read."""
    assert not legal(path)
