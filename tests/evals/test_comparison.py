"""`lead-agent eval --compare`: what changed between two saved evaluations, and whether it became worse."""

import json
from pathlib import Path
from typing import Any

import pytest

from bot.__main__ import main

pytestmark = pytest.mark.usefixtures("bare_environment")

Capture = pytest.CaptureFixture[str]


def case(name: str, *, matches: bool = True, **fields: Any) -> dict[str, Any]:
    return {"case": name, "status": "done", **fields, "matches": matches, "differs": []}


def saved(name: str, *cases: dict[str, Any], suite: str = "cases", **fields: Any) -> str:
    """A file as `eval --json` prints it."""
    matches = all(entry["matches"] for entry in cases)
    totals = {"cases": len(cases), "matched": sum(entry["matches"] for entry in cases)}
    given = {suite: list(cases), "totals": totals, "matches": matches} | fields
    Path(name).write_text(json.dumps(given, ensure_ascii=False), encoding="utf-8")
    return name


def compared(before: str, after: str, capsys: Capture) -> tuple[int, str]:
    code = main(["eval", "--compare", before, after])
    shown = capsys.readouterr()
    assert shown.err == ""
    return code, shown.out


def test_the_same_is_not_worse(capsys: Capture) -> None:
    """Nothing is listed."""
    code, shown = compared(saved("a", case("x")), saved("b", case("x")), capsys)
    assert code == 0
    assert shown == "   file  cases  match\nA  a     1      1\nB  b     1      1\n\nB is not worse than A.\n"


def test_what_changed_is_shown(capsys: Capture) -> None:
    """Cases that began and ceased to match, new and gone ones, fields inside objects, sums, versions."""
    before = saved(
        "a",
        case("x", result={"status": "failed", "reason": None}),
        case("y", matches=False),
        case("z", matches=False),
        versions={"prompt": "p1", "model": "m"},
    )
    after = saved(
        "b",
        case("x", matches=False, result={"status": "denied", "reason": None}),
        case("y", tools=["a", "b"]),
        case("w"),
        versions={"prompt": "p2", "model": "m"},
    )
    code, shown = compared(before, after, capsys)
    assert code == 1
    for part in (
        "ceased to match: x\nbegan to match: y\ngone: z\nnew: w",
        'x  result.status\n  - "failed"\n  + "denied"',
        "y  tools\n  - null\n  + a\n  + b",
        "totals  matched\n  - 1\n  + 2",
        'versions  prompt\n  - "p1"\n  + "p2"',
        "B is WORSE than A.",
    ):
        assert part in shown
    assert "reason" not in shown
    assert "versions  model" not in shown


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ([case("x", matches=False)], [case("x")], 0),
        ([case("x", matches=False)], [case("x", matches=False, status="failed")], 0),
        ([case("x")], [case("x", status="other")], 0),
        ([case("x")], [case("x", matches=False)], 1),
        ([case("x"), case("y")], [case("x")], 1),
        ([case("x"), case("y", matches=False)], [case("x")], 0),
        ([case("x")], [case("x"), case("new")], 0),
        ([case("x")], [case("x"), case("new", matches=False)], 1),
        ([case("x", matches=False)], [case("x", matches=False), case("new", matches=False)], 0),
    ],
)
def test_worse(before: list[dict[str, Any]], after: list[dict[str, Any]], code: int, capsys: Capture) -> None:
    """What matched has to match still; a whole that matched, too."""
    assert compared(saved("a", *before), saved("b", *after), capsys)[0] == code


def test_wrong_sums_alone_are_worse(capsys: Capture) -> None:
    """All cases match, the evaluation does not."""
    assert compared(saved("a", case("x")), saved("b", case("x"), matches=False), capsys)[0] == 1


def test_versions_of_single_cases_count(capsys: Capture) -> None:
    """They are told once, not with every case."""
    before = saved("a", *(case(name, versions={"model": "m1"}) for name in "xy"), suite="runs")
    after = saved("b", *(case(name, versions={"model": "m2"}) for name in "xy"), suite="runs")
    code, shown = compared(before, after, capsys)
    assert code == 0
    assert shown.count("m2") == 1


def test_as_json(capsys: Capture) -> None:
    """The same as an object."""
    saved("a", case("x", n=1))
    saved("b", case("x", n=2, matches=False))
    assert main(["eval", "--compare", "a", "b", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {
        "ceased_to_match": ["x"],
        "began_to_match": [],
        "gone": [],
        "new": [],
        "changed": {"x": {"n": {"before": 1, "after": 2}}},
        "totals": {"matched": {"before": 1, "after": 0}},
        "versions": {},
        "worse": True,
    }


NO_EVALUATION = "lead-agent: b: is not what `lead-agent eval SUITE --json` prints\n"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no JSON",
        "[]",
        "5",
        "{}",
        '{"cases": [], "runs": [], "totals": {}, "matches": true}',
        '{"cases": 5, "totals": {}, "matches": true}',
        '{"cases": [5], "totals": {}, "matches": true}',
        '{"cases": [{"case": "x"}], "totals": {}, "matches": true}',
        '{"cases": [{"case": "x", "matches": "yes"}], "totals": {}, "matches": true}',
        '{"cases": [], "totals": 5, "matches": true}',
        '{"cases": [], "totals": {}, "matches": null}',
        '{"cases": [], "totals": {}, "versions": 5, "matches": true}',
        '{"cases": [{"case": "x", "matches": true}, {"case": "x", "matches": true}], '
        '"totals": {}, "matches": true}',
        "\udcff",
    ],
)
def test_a_file_that_is_no_evaluation(content: str, capsys: Capture) -> None:
    """One plain line, exit code 2."""
    Path("b").write_text(content, encoding="utf-8", errors="surrogateescape")
    assert main(["eval", "--compare", saved("a", case("x")), "b"]) == 2
    assert capsys.readouterr() == ("", NO_EVALUATION)


def test_a_file_that_is_not_there(capsys: Capture) -> None:
    """One plain line that says so."""
    assert main(["eval", "--compare", "a", "b"]) == 2
    assert capsys.readouterr() == ("", "lead-agent: a: cannot be read (No such file or directory)\n")


def test_two_suites_cannot_be_compared(capsys: Capture) -> None:
    """One plain line, exit code 2."""
    assert main(["eval", "--compare", saved("a", case("x"), suite="runs"), saved("b", case("x"))]) == 2
    assert capsys.readouterr().err == "lead-agent: a is an evaluation of records, b of leads\n"
