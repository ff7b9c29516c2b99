"""`lead-agent eval records`: the table, the JSON, the exit codes."""

import json
import re
from pathlib import Path

import pytest

from agent.errors import ToolFailed
from agent.records.source import DemoRecord, SyntheticSource
from bot.__main__ import main
from bot.evals.expected import record_suite

COLUMNS = ("run", "status", "needs_human", "reads", "retries", "model calls", "decision", "verdict")


pytestmark = pytest.mark.usefixtures("bare_environment")


def test_all_matches(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A line a run, the control figures, exit code 0; nothing is left behind."""
    assert main(["eval", "records"]) == 0
    shown = capsys.readouterr()
    rows = shown.out.splitlines()
    assert re.split(r" {2,}", rows[0]) == list(COLUMNS)
    assert [row.split()[0] for row in rows[1:10]] == [run.run_id for run in record_suite().runs]
    assert all(row.endswith(" ok") for row in rows[1:10])
    assert rows[4].split() == ["demo-004", "failed", "yes", "2", "1", "1", "–", "ok"]
    assert (
        "N=9, Σe=8, Σretry=2, T_total=10, Tool_success=6, Runs_completed=4, Handoff_total=7, "
        "Decision_total=2, W_total=0, Σm=14 (limit 24)" in shown.out
    )
    assert (shown.err, list(tmp_path.iterdir())) == ("", [])


def test_json_is_the_whole_evaluation(capsys: pytest.CaptureFixture[str]) -> None:
    """JSON only, with each run's objects before and after, counts, journal lines and verdict."""
    assert main(["eval", "records", "--json"]) == 0
    given = json.loads(capsys.readouterr().out)
    assert given["matches"] is True
    assert list(given["totals"]) == [
        "N",
        "e",
        "retry",
        "T_total",
        "Tool_success",
        "Runs_completed",
        "Handoff_total",
        "Decision_total",
        "W_total",
        "M_total",
        "M_limit",
    ]
    for run, expected in zip(given["runs"], record_suite().runs, strict=True):
        assert run["matches"] is True
        assert run["journal"] == expected.journal
        assert run["result"] | expected.result | {"change_calls": 0} == run["result"] | {"change_calls": 0}
        assert (run["before_decision"] is None) is (expected.decision is None)
        assert run["record_id"] == run["result"]["record_id"]
        assert {"read_calls", "retries", "model_calls", "change_calls", "decision", "run_id"} <= run.keys()


def test_what_differs_is_shown_and_fails(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A source that tries nothing twice: the runs, the fields and the figures that differ, exit code 1."""

    def read(self: SyntheticSource, record_id: str, attempt: int) -> DemoRecord:
        outcome = self.records[record_id][-1]
        if isinstance(outcome, DemoRecord):
            return outcome
        raise ToolFailed(outcome)

    monkeypatch.setattr(SyntheticSource, "read", read)
    assert main(["eval", "records"]) == 1
    shown = capsys.readouterr().out
    assert [row.split()[0] for row in shown.splitlines()[1:10] if row.endswith("differ")] == ["demo-003"]
    assert (
        'demo-003  result.summary\n  - "Запись прочитана после временного сбоя"\n'
        '  + "Запрошена демонстрационная обработка записи"' in shown
    )
    assert "totals  T_total\n  - 10\n  + 9" in shown
    assert "NOT as the specification says." in shown


def test_claude_needs_a_key(capsys: pytest.CaptureFixture[str]) -> None:
    """One plain line, exit code 2."""
    assert main(["eval", "records", "--model", "claude"]) == 2
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == (
        "",
        "lead-agent: ANTHROPIC_API_KEY: missing; --model claude needs it\n",
    )


def test_a_model_that_cannot_be_reached_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No verdict about an agent whose model gave no answer."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    assert main(["eval", "records", "--model", "claude"]) == 1
    assert "demo-001 could not go on: the model's server cannot be reached" in capsys.readouterr().err
