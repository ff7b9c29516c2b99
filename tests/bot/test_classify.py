"""Record runs in the operators' group: started, shown, decided, in the specification's form."""

import asyncio
import json
from pathlib import Path

import pytest

from agent.records.source import CASES
from bot.__main__ import main
from bot.evals.expected import record_suite
from bot.sandbox.stand_in_model import StandInModel
from tests.bot.harness import APPROVE, DENY, Office, office, text_of

RUNS = {run.case: run for run in record_suite().runs}


async def classified(office: Office, case: str) -> str:
    """Start a run; its name."""
    answer = await office.command(f"/classify {case}".strip())
    return text_of(answer).split()[1]


@pytest.fixture
async def bot(stopped: Office) -> Office:
    """A served bot whose model is the stand-in for leads and records."""
    stopped.api.model = StandInModel()
    await stopped.start()
    return stopped


async def test_every_case_can_be_run_in_the_group(bot: Office) -> None:
    """The nine names start the nine runs, whose results are posted; two of them wait for a person."""
    for case in CASES:
        assert await classified(bot, case) == RUNS[case].run_id
    for case, expected in RUNS.items():
        if expected.decision is None:
            card = await bot.shown(f"📄 {case}")
            assert f"summary: {expected.result['summary']}" in text_of(card)
            assert f"status: {expected.result['status']}" in text_of(card)
            assert expected.run_id in text_of(card)
    await bot.until(lambda: len(bot.waiting()) == 2, "two cards to decide")


@pytest.mark.parametrize(
    ("case", "button", "toast", "line"),
    [
        ("R-007A", APPROVE, "Approved", "no such tool is connected, nothing was done"),
        ("R-007B", DENY, "Denied", "nothing was done"),
    ],
)
async def test_an_intent_is_decided_like_any_other_card(
    bot: Office, case: str, button: str, toast: str, line: str
) -> None:
    """Exact parameters and that nothing is connected; one press; the journal in the specification's lines."""
    expected, proposal_id = RUNS[case], case.replace("R", "P")
    run_id = await classified(bot, case)
    card = await bot.card("delete_demo_record")
    text = text_of(card)
    assert f'{{"record_id":"{case}"}}' in text
    assert "No tool for it is connected" in text
    assert "nothing is carried out" in text
    assert "Goes out" not in text
    assert f"#{proposal_id} · {run_id}" in text
    assert toast in str((await bot.pressed(card, button)).text)
    await bot.shows(card, line)
    assert "sent" not in text_of(card)
    await bot.shown(f"📄 {case}", f"reason: {expected.result['reason']}")
    journal = text_of(await bot.command(f"/journal {run_id}"))
    assert journal.splitlines()[1:] == expected.journal
    shown = text_of(await bot.command(f"/run {run_id}"))
    assert f"status: {expected.result['status']}" in shown
    assert f"action_request: {{proposal_id: {proposal_id}, requested_operation: delete_demo_record" in shown
    assert not bot.waiting()


async def test_an_expired_intent_says_that_nothing_was_done(stopped: Office) -> None:
    """Nobody decided, so nobody is named, and no promise is left on the card."""
    stopped.api.model = StandInModel()
    await stopped.start(approval_ttl="1ms")
    await classified(stopped, "R-007A")
    card = await stopped.shown("delete_demo_record", "Nobody decided in time · nothing was done")
    assert "sent" not in text_of(card)
    await stopped.shown("📄 R-007A", "reason: confirmation_expired", "execution_status: cancelled")


async def test_without_an_id_the_run_ends_before_the_model(bot: Office) -> None:
    """As R-008 does: nothing is guessed."""
    assert await classified(bot, "") == "demo-none"
    await bot.shown("record_id: null", "reason: missing_record_id")
    assert not bot.api.requests
    journal = text_of(await bot.command("/journal demo-none"))
    assert journal.splitlines()[1:] == [
        "run_id: demo-none | step: validate_input | result: missing_record_id",
        "run_id: demo-none | step: finish | status: failed | model_calls: 0 | tool_calls: 0",
    ]


async def test_an_unknown_record_is_not_found(bot: Office) -> None:
    """By the source's word, shown on the card; markup in the id is only text."""
    await classified(bot, "<b>x")
    await bot.shown("📄 <b>x", "reason: not_found")


async def test_only_operators_classify(bot: Office) -> None:
    """A stranger in the group gets no answer, and no run is started."""
    stranger = bot.world.add_person("Stranger")
    bot.world.say(stranger, "/classify R-001", chat_id=bot.group_id)
    assert await classified(bot, "R-002") == "demo-002"
    assert bot.value("SELECT count(*) FROM runs") == 1


async def test_unknown_names_get_a_clear_answer(bot: Office) -> None:
    """As for any other run."""
    for command in ("/run demo-404", "/journal demo-404"):
        assert "There is no run demo-404" in text_of(await bot.command(command))


async def test_a_restart_while_it_waits_changes_nothing(tmp_path: Path) -> None:
    """The card posted before the restart still decides the run."""
    async with office(tmp_path, StandInModel()) as bot:
        await bot.start()
        await classified(bot, "R-007A")
        card = await bot.card("delete_demo_record")
        await bot.restart()
        await bot.pressed(card, APPROVE)
        await bot.shown("📄 R-007A", "reason: write_tool_unavailable")
        shown = await bot.show()
    assert (shown["run_id"], shown["result"]["execution_status"]) == ("demo-007a", "not_attempted")
    (proposal,) = shown["proposals"]
    assert (proposal["proposal_id"], proposal["confirmation_status"], proposal["execution_status"]) == (
        "P-007A",
        "approved",
        "not_attempted",
    )


async def test_leads_and_records_run_beside_each_other(bot: Office) -> None:
    """The same engine, worker and cards: neither knows of the other."""
    bot.lead("Dana", "We need a CRM for our clinic: bookings and reminders.")
    await classified(bot, "R-001")
    await bot.shown("📄 R-001", "status: completed")
    card = await bot.card("Reply to Dana")
    await bot.pressed(card, APPROVE)
    await bot.shows(card, "sent")


async def test_the_commands_of_the_console_know_the_names(
    bot: Office, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """show, journal and runs, beside the running bot."""
    await classified(bot, "R-003")
    await bot.shown("📄 R-003")
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{bot.path}")

    async def printed(*arguments: str) -> str:
        assert await asyncio.to_thread(main, list(arguments)) == 0
        return capsys.readouterr().out

    assert (await printed("journal", "demo-003")).splitlines() == RUNS["R-003"].journal
    lines = [json.loads(line) for line in (await printed("journal", "DEMO-003", "--json")).splitlines()]
    assert [line.get("attempt") for line in lines if line["kind"] == "tool"] == [1, 2]
    assert json.loads(await printed("show", "demo-003", "--json"))["result"]["status"] == "completed"
    assert json.loads(await printed("runs", "--json"))[0]["run_id"] == "demo-003"
    assert "demo-003" in await printed("runs")
