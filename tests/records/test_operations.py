"""Record runs under the manual stop, with feedback, and replayed: as any other run."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from agent.proposals import Verdict
from agent.records.source import CASES
from agent.runs import Run, RunStatus
from bot.__main__ import main
from bot.evals.expected import record_suite
from bot.sandbox.chats import User
from bot.sandbox.script import turn
from bot.sandbox.stand_in_model import StandInModel
from tests.bot.harness import Office, office, text_of
from tests.company import OLGA
from tests.records.desk import Desk, answering, reading

Cli = Callable[..., Any]
DECISIONS = {run.case: run.verdict for run in record_suite().runs}


@pytest.fixture
def cli(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Cli:
    """Run `lead-agent` beside the desk; what it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{desk.path}")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", desk.url)

    async def run(*arguments: str) -> str:
        code = await asyncio.to_thread(main, arguments)
        captured = capsys.readouterr()
        assert code == 0, captured.err
        return captured.out

    return run


async def worked(desk: Desk, case: str) -> Run:
    run = await desk.classified(case)
    if verdict := DECISIONS.get(case):
        await desk.press(run, verdict)
        run = await desk.work(run)
    return run


async def turn_switch(desk: Desk, *, paused: bool) -> None:
    await desk.store.transaction(lambda tx: desk.engine.switch(tx, paused=paused, person=OLGA))


# --- without a record_id


async def test_a_refused_input_ends_where_the_run_is_started(desk: Desk) -> None:
    """In that very transaction: no worker, no model and no tool is needed for it."""
    run = await desk.start(None)
    assert (run.status, (await desk.run(run)).status) == (RunStatus.FAILED, RunStatus.FAILED)
    assert (await desk.result(run)).reason == "missing_record_id"
    assert await desk.engine.advance(run.id) is None
    assert not desk.api.requests


async def test_a_refused_input_that_came_during_a_pause_ends_after_it(desk: Desk) -> None:
    """It waits like every other, and costs no call then either."""
    await turn_switch(desk, paused=True)
    run = await desk.start(None)
    assert run.status is RunStatus.QUEUED
    assert await desk.engine.advance(run.id) is None
    await turn_switch(desk, paused=False)
    assert (await desk.work(run)).status is RunStatus.FAILED
    assert not desk.api.requests
    assert (await desk.states(run))[-1] == "failed"


# --- the manual stop


@pytest.mark.parametrize("verdict", [Verdict.APPROVE, Verdict.DENY])
async def test_a_decision_during_a_pause_counts_after_it(desk: Desk, verdict: Verdict) -> None:
    """The states are the specification's; the stop is in the journal beside them."""
    await turn_switch(desk, paused=True)
    run = await desk.start("R-007A")
    assert (await desk.work(run)).status is RunStatus.QUEUED
    await turn_switch(desk, paused=False)
    run = await desk.work(run)
    await turn_switch(desk, paused=True)
    await desk.press(run, verdict)
    assert ((await desk.work(run)).status, len(desk.api.requests)) == (RunStatus.QUEUED, 2)
    await turn_switch(desk, paused=False)
    run = await desk.work(run)
    assert run.status.over
    assert [state.value for state in await desk.states(run)][-2] == "awaiting_confirmation"
    journal = [record.outcome for record in await desk.journal(run)]
    assert (journal.count("paused"), journal.count("resumed")) == (1, 2)
    assert not any("paused" in line for line in await desk.lines(run))


# --- feedback and replay


@pytest.mark.parametrize("case", CASES)
async def test_every_case_replays_to_the_same(desk: Desk, cli: Cli, case: str) -> None:
    """By its name, with its decision, to the same result object; no row is touched."""
    run = await worked(desk, case)
    found = json.loads(await cli("replay", run.run_id, "--json"))
    assert (found["run_id"], found["same"], found["differences"]) == (run.run_id, True, [])
    assert found["after"]["outcome"] == run.result
    assert found["after"]["versions"]["result_schema"]["name"] == "RecordResult"
    assert await desk.run(run) == run


async def test_a_replay_shows_what_another_answer_comes_to(desk: Desk, cli: Cli) -> None:
    """Field by field of the result."""
    run = await worked(desk, "R-001")
    desk.script(turn(reading("R-001")), answering(category="unknown"))
    found = json.loads(await cli("replay", run.run_id, "--json"))
    places = {item["at"]: (item["before"], item["after"]) for item in found["differences"]}
    assert places["outcome.category"] == ("synthetic_request", "unknown")
    assert places["outcome.needs_human"] == (False, True)


@pytest.fixture
async def governed(tmp_path: Path) -> AsyncIterator[tuple[Office, User]]:
    """A served bot with the stand-in model, and its admin."""
    async with office(tmp_path, StandInModel()) as bot:
        aida = bot.world.add_person("Aida", operator=True)
        bot.overrides["admin_ids"] = str(aida.id)
        await bot.start()
        yield bot, aida


async def test_a_run_is_known_by_its_name_everywhere(
    governed: tuple[Office, User], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pause holds it; feedback is given and listed under its name, and the case keeps the record."""
    bot, aida = governed
    await bot.command("/pause", aida)
    assert "demo-001" in text_of(await bot.command("/classify R-001"))
    await bot.shown("R-001", "waits", "the agent is paused")
    assert not bot.api.requests
    await bot.command("/resume", aida)
    await bot.shown("📄 R-001", "status: completed")
    assert "F-1" in text_of(await bot.command("/feedback DEMO-001 a shorter summary"))
    assert "There is no run demo-404" in text_of(await bot.command("/feedback demo-404 x"))
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{bot.path}")

    async def printed(*arguments: str) -> Any:
        assert await asyncio.to_thread(main, list(arguments)) == 0
        return json.loads(capsys.readouterr().out)

    (item,) = await printed("feedback", "demo-001", "--json")
    assert (item["run_id"], item["result"]["outcome"]["status"]) == ("demo-001", "completed")
    case = await printed("feedback", "demo-001", "--as-case")
    assert (case["lead"]["message"], case["observed"]["outcome"]["record_id"]) == ("R-001", "R-001")
    shown = await printed("show", "demo-001", "--json")
    assert (shown["result"]["status"], shown["versions"]["prompt"]["name"]) == ("completed", "records")
