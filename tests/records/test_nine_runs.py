"""The specification's nine runs through the engine: objects before and after, journal lines, figures."""

import pytest

from agent.proposals import Verdict
from agent.records.report import Counts
from agent.records.source import CASES
from agent.records.states import RecordState
from agent.runs import RunStatus
from bot.evals.expected import Expected, record_suite
from bot.evals.harness import scripted
from bot.evals.outcome import totals
from bot.evals.records import evaluate
from tests.records.desk import Desk

SUITE = record_suite()
RUNS = {expected.case: expected for expected in SUITE.runs}
STATUSES = {"completed": "done", "failed": "failed", "denied": "denied"}

S = RecordState
PATHS = {
    "R-001": [S.VALIDATING_INPUT, S.READING, S.COMPLETED],
    "R-002": [S.VALIDATING_INPUT, S.READING, S.COMPLETED],
    "R-003": [S.VALIDATING_INPUT, S.READING, S.RETRYING, S.COMPLETED],
    "R-004": [S.VALIDATING_INPUT, S.READING, S.RETRYING, S.FAILED],
    "R-005": [S.VALIDATING_INPUT, S.READING, S.DENIED],
    "R-006": [S.VALIDATING_INPUT, S.READING, S.COMPLETED],
    "R-007A": [S.VALIDATING_INPUT, S.READING, S.AWAITING_CONFIRMATION, S.FAILED],
    "R-007B": [S.VALIDATING_INPUT, S.READING, S.AWAITING_CONFIRMATION, S.DENIED],
    "R-008": [S.VALIDATING_INPUT, S.FAILED],
}


def the_expected(result: object, expected: dict[str, object]) -> dict[str, object]:
    assert isinstance(result, dict)
    return {field: result[field] for field in expected if field != "change_calls"}


@pytest.mark.parametrize("expected", SUITE.runs, ids=lambda expected: expected.case)
async def test_each_run_is_exactly_as_specified(desk: Desk, expected: Expected) -> None:
    """Object before and after the decision, journal lines, counts, states and the run's status."""
    run = await desk.classified(expected.case)
    assert (run.run_id, run.agent) == (expected.run_id, "records")
    if expected.before_decision is not None and expected.verdict is not None:
        before = dict(expected.before_decision)
        assert before.pop("change_calls") == (await desk.counts(run)).change_calls
        assert the_expected(run.result, before) == before
        assert run.status is RunStatus.AWAITING_CONFIRMATION
        await desk.press(run, expected.verdict)
        run = await desk.work(run)
    result = await desk.result(run)
    assert the_expected(run.result, expected.result) == expected.result
    assert run.status == STATUSES[result.status]
    assert run.reason == result.reason
    assert await desk.lines(run) == expected.journal
    counts = await desk.counts(run)
    assert (counts.reads, counts.retries) == (expected.read_calls, expected.retries)
    assert counts.change_calls == 0
    assert counts.model_calls == len(desk.api.requests) <= 3
    assert await desk.states(run) == PATHS[expected.case]


async def test_the_result_has_the_eleven_fields_in_the_specifications_order(desk: Desk) -> None:
    """The stored object is the whole schema, whatever the run came to."""
    for case in CASES:
        run = await desk.classified(case)
        assert list(run.result or {}) == [
            "record_id",
            "category",
            "requested_date",
            "summary",
            "needs_human",
            "proposed_action",
            "status",
            "confirmation_status",
            "execution_status",
            "action_request",
            "reason",
        ]


async def test_the_control_figures_are_counted_from_the_rows() -> None:
    """N=9, Σe=8, Σretry=2, T=10, success 6, completed 4, handoff 7, decisions 2, changes 0, Σm within 24."""
    async with scripted() as model:
        evaluation = await evaluate(model)
    assert evaluation.matches
    assert evaluation.totals == {
        "N": 9,
        "e": 8,
        "retry": 2,
        "T_total": 10,
        "Tool_success": 6,
        "Runs_completed": 4,
        "Handoff_total": 7,
        "Decision_total": 2,
        "W_total": 0,
        "M_total": 14,
        "M_limit": 24,
    }
    assert totals(evaluation.outcomes[:3]) | {"M_total": 0} == {
        "N": 3,
        "e": 3,
        "retry": 1,
        "T_total": 4,
        "Tool_success": 3,
        "Runs_completed": 3,
        "Handoff_total": 1,
        "Decision_total": 0,
        "W_total": 0,
        "M_total": 0,
        "M_limit": 9,
    }


async def test_a_record_id_is_asked_for_before_anything_else(desk: Desk) -> None:
    """Without one, neither model nor source is asked, by whatever name the run was started."""
    source = desk.holds()
    for case in (None, "", "   ", "R-008"):
        run = await desk.classified(case)
        result = await desk.result(run)
        assert (result.record_id, result.reason) == (None, "missing_record_id")
        assert await desk.counts(run) == Counts(
            reads=0, retries=0, successes=0, model_calls=0, change_calls=0
        )
    assert (source.asked, desk.api.requests) == ([], type(desk.api.requests)())


async def test_runs_of_one_record_have_names_of_their_own(desk: Desk) -> None:
    """demo-007a, then demo-007a-2; their proposals too, so a decision is about one of them only."""
    names = []
    for _ in range(3):
        run = await desk.classified("r-007a")
        names.append((run.run_id, (await desk.proposal(run)).proposal_id))
    assert names == [("demo-007a", "P-007A"), ("demo-007a-2", "P-007A-2"), ("demo-007a-3", "P-007A-3")]
    await desk.press(run, Verdict.DENY)
    assert (await desk.result(await desk.work(run))).status == "denied"
    first = await desk.store.read(lambda tx: tx.runs.get(tx.views.id_of("DEMO-007A")))
    assert first.status is RunStatus.AWAITING_CONFIRMATION


async def test_runs_of_records_are_nobodys_leads(desk: Desk) -> None:
    """All belong to one synthetic contact, which no message can reach."""
    for case in CASES:
        await desk.start(case)
    leads = await desk.store.read(lambda tx: [tx.views.run(run.id).lead for run, _ in tx.views.latest(20)])
    assert {(lead.contact_id, lead.telegram_id, lead.source, lead.phone) for lead in leads} == {
        (1, None, "records", None)
    }
    assert {lead.message for lead in leads} == {*CASES} - {"R-008"} | {""}
