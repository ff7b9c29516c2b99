"""`lead-agent eval`: the forms of the command; the table and the JSON of the lead suite."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.evals import leads
from bot.evals.lead_cases import Wanted, lead_suite

pytestmark = pytest.mark.usefixtures("bare_environment")

CASES = ("ru-website", "kk-app", "en-others-data")


@pytest.fixture(autouse=True)
def _three_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole suite is run by tests/evals/test_leads.py."""
    suite = lead_suite()
    few = replace(suite, cases=tuple(case for case in suite.cases if case.case in CASES))
    monkeypatch.setattr(leads, "lead_suite", lambda: few)


def test_all_as_wanted(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A line a case, the sums, exit code 0; nothing is left behind."""
    assert main(["eval", "leads"]) == 0
    shown = capsys.readouterr()
    rows = [re.split(r" {2,}", row) for row in shown.out.splitlines()]
    assert rows[:4] == [
        ["case", "status", "tools", "service", "escalated", "language", "verdict"],
        ["ru-website", "done", "history, deal, reply", "website", "no", "ru", "ok"],
        ["kk-app", "done", "history, deal, reply", "mobile_app", "no", "kk", "ok"],
        ["en-others-data", "done", "history, escalate", "–", "yes", "–", "ok"],
    ]
    assert "cases=3, matched=3, deals=2, escalated=1, replied=2, faults=0, model_calls=9" in shown.out
    assert shown.out.endswith("All as wanted.\n")
    assert (shown.err, list(tmp_path.iterdir())) == ("", [])


def test_what_differs_is_shown_and_fails(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The field, what is wanted and what was found; exit code 1."""
    suite = lead_suite()
    wrong = replace(suite.cases[0], wanted=Wanted(services=(), languages=()))
    monkeypatch.setattr(leads, "lead_suite", lambda: replace(suite, cases=(wrong,)))
    assert main(["eval", "leads"]) == 1
    shown = capsys.readouterr().out
    assert 'ru-website  services\n  - "none"\n  + website' in shown
    assert "2 differ" in shown
    assert "NOT as wanted." in shown


def test_json_can_be_compared(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """JSON only; the stand-in says the same each time, so two evaluations of it do not differ."""
    for name in ("a", "b"):
        assert main(["eval", "leads", "--json"]) == 0
        (tmp_path / name).write_text(capsys.readouterr().out, encoding="utf-8")
    given = json.loads((tmp_path / "a").read_text(encoding="utf-8"))
    assert [case["case"] for case in given["cases"]] == list(CASES)
    assert given["matches"] is True
    assert main(["eval", "--compare", "a", "b"]) == 0
    assert "\n\nB is not worse than A.\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--json"],
        ["leads", "--compare", "a", "b"],
        ["--compare", "a", "b", "--model", "claude"],
    ],
)
def test_what_to_evaluate_has_to_be_said(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """One plain line, exit code 2."""
    assert main(["eval", *arguments]) == 2
    said = "lead-agent: eval: name a suite (records or leads), or --compare A.json B.json alone\n"
    assert capsys.readouterr() == ("", said)


@pytest.mark.parametrize("arguments", [["others"], ["--compare", "a"], ["leads", "--model", "other"]])
def test_a_wrong_form_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """As every wrong use of the command line: usage and exit code 2."""
    with pytest.raises(SystemExit) as ended:
        main(["eval", *arguments])
    assert ended.value.code == 2
    assert "usage: lead-agent eval" in capsys.readouterr().err


def test_claude_needs_a_key(capsys: pytest.CaptureFixture[str]) -> None:
    """One plain line, exit code 2."""
    assert main(["eval", "leads", "--model", "claude"]) == 2
    assert capsys.readouterr() == (
        "",
        "lead-agent: ANTHROPIC_API_KEY: missing; --model claude needs it\n",
    )


def test_a_model_that_cannot_be_reached_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No verdict about an agent whose model gave no answer."""
    monkeypatch.setenv("ANTHROPIC_API_KEY", "k")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    assert main(["eval", "leads", "--model", "claude"]) == 1
    assert "could not go on: the model's server cannot be reached" in capsys.readouterr().err
