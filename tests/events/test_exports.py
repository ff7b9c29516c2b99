"""`lead-agent export`: tables that open in Excel, and in which no cell is a formula."""

import asyncio
import csv
import io
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.exports import COLUMNS, Export
from agent.proposals import Correction, Verdict
from bot.__main__ import main
from bot.sandbox.script import say, turn
from bot.spreadsheets import SEPARATORS, lines, safe
from tests.company import HELLO, NEW_DEAL, SECOND, deal, open_company, reply

Capture = pytest.CaptureFixture[bytes]
FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")
TEXT = "Hello, Dana! =1+1 is what we promise you, at most."


async def _live(path: Path) -> None:
    """A lead with a nasty name, a deal, and a reply that a person changed before approving it."""
    async with open_company(path) as company:
        company.script(turn(deal(), reply()), turn(say("Done.")))
        run = await company.work(await company.lead(name="=HYPERLINK(1)", text='+7 701 555 01 42; "=1+1"'))
        company.clock.forward(SECOND)
        await company.correct(await company.proposal(run), Correction.EDIT, TEXT)
        await company.settle(run, Verdict.APPROVE)
        await company.store.transaction(
            lambda tx: tx.contacts.synthetic_lead("records", name="R-001", message="R-001", at=0)
        )


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export") / "lead-agent.db"
    asyncio.run(_live(path))
    return path


@pytest.fixture(autouse=True)
def environment(bare_environment: None, monkeypatch: pytest.MonkeyPatch, lived: Path) -> None:
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{lived}")


def table(content: bytes, separator: str = ",") -> list[list[str]]:
    text = content.decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))


def printed(capsysbinary: Capture, what: Export) -> Sequence[list[str]]:
    """The rows of a table; its header is the documented one."""
    assert main(["export", what, "--csv"]) == 0
    content = capsysbinary.readouterr().out
    assert content.startswith("\ufeff".encode())
    header, *rows = table(content)
    assert header == list(COLUMNS[what])
    return rows


def test_leads(capsysbinary: Capture) -> None:
    """Those of people, with their words; times as spreadsheets know them, in TIME_ZONE."""
    (row,) = printed(capsysbinary, Export.LEADS)
    assert row[:3] == ["L-1", "2027-01-15 13:00:00", "telegram"]
    assert row[3:6] == ["'=HYPERLINK(1)", "", "'+7 701 555 01 42; \"'=1+1\""]


def test_deals(capsysbinary: Capture) -> None:
    """With the lead that each came of."""
    (row,) = printed(capsysbinary, Export.DEALS)
    assert row[0] == "D-1"
    assert row[2:] == ["L-1", "'=HYPERLINK(1)", "", *NEW_DEAL.values(), "run-1", "C-1"]


def test_decisions(capsysbinary: Capture) -> None:
    """Who said what of which words, in the order in which it was said."""
    rows = printed(capsysbinary, Export.DECISIONS)
    assert [(row[0], row[2], row[3], row[4], row[6]) for row in rows] == [
        ("P-1", "edit", "1", "Olga", TEXT),
        ("P-1", "approve", "1", "Olga", TEXT),
    ]
    assert HELLO not in str(rows)


def test_a_file_is_there_whole_and_for_its_owner(tmp_path: Path, capsysbinary: Capture) -> None:
    """Semicolons where Excel wants them; what cannot be written is told, and nothing half is left."""
    target = tmp_path / "leads.csv"
    assert main(["export", "leads", "--csv", str(target), "--semicolons"]) == 0
    assert b"1 leads" in capsysbinary.readouterr().out
    header, row = table(target.read_bytes(), ";")
    assert header == list(COLUMNS[Export.LEADS])
    assert row[0] == "L-1"
    assert target.stat().st_mode & 0o777 == 0o600
    assert main(["export", "leads", "--csv", str(tmp_path / "none" / "leads.csv")]) == 2
    assert b"No such file" in capsysbinary.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["leads.csv"]


def test_however_many_rows_there_are_each_is_there_once(
    monkeypatch: pytest.MonkeyPatch, capsysbinary: Capture
) -> None:
    """Page by page."""
    monkeypatch.setattr("bot.exports.PAGE", 1)
    assert len(printed(capsysbinary, Export.DECISIONS)) == 2


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("+77015550142", "'+77015550142"),
        ("=1+1", "'=1+1"),
        ("-5", "'-5"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t'=1"),
        ("\r=1", "'\r'=1"),
        ("Two:\n- CRM", "Two:\n'- CRM"),
        ("  =1", "'  =1"),
        ("\uff1d1", "'\uff1d1"),
        ("'quoted", "''quoted"),
        ("a@b.kz", "a@b.kz"),
        ("2 - 1", "2 - 1"),
        ("Dana; =1", "Dana; '=1"),
        ("", ""),
    ],
)
def test_a_cell_begins_no_formula(cell: str, expected: str) -> None:
    """The plus of a phone number stays; an apostrophe of one's own is told from ours."""
    assert safe(cell, ",") == expected


@given(st.lists(st.text(st.sampled_from("=+-@'\";,\t\r\n 1aя\uff1d"), max_size=8), min_size=1, max_size=3))
def test_with_whatever_separator_it_is_opened_nothing_is_a_formula(cells: list[str]) -> None:
    """Nor is anything lost: without apostrophes, each cell is what it was."""
    for written in (",", ";"):
        content = lines([cells], written)
        (row,) = csv.reader(io.StringIO(content, newline=""), delimiter=written)
        assert [cell.replace("'", "") for cell in row] == [cell.replace("'", "") for cell in cells]
        for opened in SEPARATORS:
            for line in csv.reader(io.StringIO(content, newline=""), delimiter=opened):
                assert not [cell for cell in line if FORMULA.match(cell)]
