"""`lead-agent check --production`: what a program can try, and no line ready that was not."""

import asyncio
import copy
from typing import Any

import pytest

from agent.jsontext import JsonObject
from bot.check import check
from bot.readiness import M_LIMIT, TOTALS, State, lines_of
from tests.bot.harness import Office

PRICES = '{"claude-opus-5-5": {"input": 4, "output": 20, "cache_read": 0.4, "cache_write": 5}}'


def request(record_id: str) -> JsonObject:
    return {
        "proposal_id": f"P-{record_id[2:]}",
        "requested_operation": "delete_demo_record",
        "arguments": {"record_id": record_id},
        "irreversible": True,
        "available": False,
    }


def result(status: str = "completed", reason: str | None = None, **fields: Any) -> JsonObject:
    return {"status": status, "reason": reason, "requested_date": None, "action_request": None, **fields}


def run(name: str, result: JsonObject, **fields: Any) -> JsonObject:
    return {
        "run_id": name,
        "before_decision": None,
        "result": result,
        "change_calls": 0,
        "read_calls": 1,
        "retries": 0,
        "model_calls": 2,
        "journal": [f"run_id: {name} | step: finish | status: {result['status']}"],
        "matches": True,
        **fields,
    }


def decided(letter: str, result: JsonObject) -> JsonObject:
    asked = request(f"R-007{letter}")
    name = f"demo-007{letter.lower()}"
    return run(
        name,
        result | {"action_request": asked},
        before_decision={"status": "awaiting_confirmation", "action_request": asked},
        journal=[f"run_id: {name} | proposal_id: {asked['proposal_id']} | step: decision | result: approved"],
    )


def evaluation() -> JsonObject:
    """What the specification expects of the nine records."""
    return {
        "runs": [
            run("demo-001", result()),
            run("demo-002", result()),
            run("demo-003", result(), retries=1),
            run("demo-004", result("failed", "retry_exhausted"), retries=1),
            run("demo-005", result("denied", "forbidden")),
            run("demo-006", result()),
            decided("A", result("failed", "write_tool_unavailable", execution_status="not_attempted")),
            decided("B", result("denied", "human_denied", execution_status="cancelled")),
            run("demo-008", result("failed", "missing_record_id"), read_calls=0, model_calls=0),
        ],
        "totals": {**TOTALS, "M_total": 16, "M_limit": M_LIMIT},
        "matches": True,
    }


def test_the_specifications_evaluation_is_ready() -> None:
    """All lines of the nine records are ok."""
    assert {line.state for line in lines_of(evaluation())} == {State.OK}


def test_nothing_is_ready_that_was_not_tried() -> None:
    """Without an evaluation every line is a fault."""
    assert {line.state for line in lines_of({})} == {State.FAULT}


@pytest.mark.parametrize(
    ("index", "fields", "line"),
    [
        (8, {"model_calls": 1}, "a missing record_id"),
        (1, {"result": result(requested_date="2026-10-15")}, "a missing value"),
        (3, {"retries": 2}, "at most one retry"),
        (4, {"retries": 1}, "no retry after"),
        (5, {"change_calls": 1}, "a command inside"),
        (3, {"result": result("failed")}, "failed and denied"),
        (6, {"change_calls": 1}, "approving what is not connected"),
        (7, {"before_decision": {"status": "denied", "action_request": request("R-007B")}}, "states before"),
        (6, {"journal": ["run_id: demo-007a | step: decision"]}, "the journal"),
        (0, {"matches": False}, "ordinary and negative"),
    ],
)
def test_each_line_watches_its_own_fault(index: int, fields: JsonObject, line: str) -> None:
    """A single deviation is named by the line that is about it."""
    found = copy.deepcopy(evaluation())
    found["runs"][index] |= fields
    assert line in " ".join(item.name for item in lines_of(found) if item.state is State.FAULT)


@pytest.mark.parametrize(("name", "figure"), [("N", 8), ("W_total", 1), ("M_total", 25), ("M_limit", 30)])
def test_the_figures_are_compared(name: str, figure: int) -> None:
    """Another figure is a fault."""
    found = evaluation()
    found["totals"][name] = figure
    assert State.FAULT in {line.state for line in lines_of(found)}


async def printed(
    office: Office, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], **settings: str
) -> tuple[int, str]:
    """What the command says beside the served bot."""
    given = {
        "telegram_bot_token": office.world.token,
        "telegram_api_url": office.telegram_url,
        "operators_chat_id": str(office.group_id),
        "operator_ids": str(office.olga.id),
        "anthropic_api_key": "test-key",
        "anthropic_base_url": office.model_url,
        "database_url": f"sqlite:///{office.path}",
    }
    for name, value in {**given, **settings}.items():
        monkeypatch.setenv(name.upper(), value)
    capsys.readouterr()
    code = await asyncio.to_thread(check, production=True)
    return code, capsys.readouterr().out


async def test_settings_and_rows_are_checked(
    bot: Office, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Admins, prices, the file's mode, secrets in the journal: each a line; a fault is exit code 1."""
    bot.lead()
    await bot.card("Dana")
    code, out = await printed(bot, monkeypatch, capsys)
    assert code == 1
    assert "FAULT   somebody may stop the agent" in out
    assert "FAULT   costs can be told" in out
    assert "ok      no secrets in prompt and journal" in out
    assert "ok      only the bot's account reads the data" in out
    assert "by hand real and synthetic data are apart" in out
    assert [line for line in out.splitlines() if "eval records" in line and "FAULT" in line] == []
    assert "ok      calls of the model are bounded: 14 of 24" in out
    assert "ok      control figures: N 9, e 8, retry 2" in out
    bot.rows(
        "INSERT INTO journal (run_id, seq, at, step, kind, name, outcome, ms, note)"
        " VALUES (1, 99, 1, 1, 'run', 'x', 'x', 0, 'my key is test-key')"
    )
    await asyncio.to_thread(bot.path.chmod, 0o644)
    code, out = await printed(bot, monkeypatch, capsys, admin_ids=str(bot.olga.id), prices=PRICES)
    assert "ok      somebody may stop the agent" in out
    assert "ok      costs can be told" in out
    assert "FAULT   no secrets in prompt and journal: ANTHROPIC_API_KEY is in there" in out
    assert "FAULT   only the bot's account reads the data" in out
    assert "test-key" not in out
