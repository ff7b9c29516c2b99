"""Feedback is kept with its run, replayed dry, and made into cases that tell of nobody."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.anonymous import Anonymous, case_of
from agent.errors import Undeliverable
from agent.feedback import Feedback
from agent.jsontext import JsonObject
from agent.proposals import Verdict
from agent.recordings import recording_of
from agent.runs import Run, RunStatus
from bot.__main__ import main
from bot.sandbox.model_faults import Fault, FaultKind
from bot.sandbox.script import call, say, turn
from storage.transaction import SqliteTransaction
from tests.company import DANA, HELLO, OLGA, Company, deal, reply
from tests.engine.test_rules import called, governed, in_force

TALK = (turn(call("get_customer_history"), deal(), reply()), turn(say("Done.")))
OTHER = "Good afternoon, Dana! A manager will write."
DONE = turn(say("Done."))
Cli = Callable[..., Any]


@pytest.fixture
def cli(
    company: Company, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Cli:
    """Run `lead-agent` beside the running company; its exit code and what it printed."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URL", f"sqlite:///{company.path}")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "test-key")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", company.url)

    async def run(*arguments: str) -> tuple[int, str]:
        code = await asyncio.to_thread(main, arguments)
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return run


async def remark(company: Company, run: Run, expected: str, message_id: int = 1) -> str:
    def keep(tx: SqliteTransaction) -> str:
        report = tx.views.report(run.id)
        recording = recording_of(report, tx.runs.transcript(report.view.run))
        feedback = Feedback(
            run_id=run.id,
            expected=expected,
            input=recording.input,
            result=recording.result,
            versions=report.versions.as_json(),
            by=OLGA,
            at=company.clock(),
        )
        return tx.feedback.add(feedback, chat_id=-1, message_id=message_id)

    return await company.store.transaction(keep)


async def worked(company: Company, verdict: Verdict = Verdict.APPROVE) -> Run:
    run, _ = await company.waiting(*TALK)
    return await company.settle(run, verdict)


# --- kept


async def test_feedback_holds_input_result_and_versions(company: Company, cli: Cli) -> None:
    """Whoever reads it needs nothing else to see what went wrong."""
    run = await worked(company)
    assert await remark(company, run, "a question instead of a deal") == "F-1"
    code, out = await cli("feedback", "--json")
    (item,) = json.loads(out)
    assert (code, item["feedback_id"], item["run_id"], item["expected"]) == (
        0,
        "F-1",
        "run-1",
        "a question instead of a deal",
    )
    assert item["by"] == {"id": OLGA.id, "name": OLGA.name}
    assert item["input"]["lead"]["message"] == "We need a CRM for our clinic."
    assert [step["tool"] for step in item["result"]["calls"]] == [
        "get_customer_history",
        "create_deal",
        "send_reply",
    ]
    assert item["result"]["proposals"][0]["state"] == "executed"
    assert item["versions"]["model"]["name"] == "claude-opus-5-5"


async def test_a_message_is_stored_once(company: Company) -> None:
    """An update that is handled again after a crash gives the same id and no second row."""
    run = await worked(company)
    assert [await remark(company, run, "x", 5), await remark(company, run, "x", 5)] == ["F-1", "F-1"]
    assert await remark(company, run, "y", 6) != "F-1"
    assert company.tamper("SELECT count(*) FROM feedback") == [(2,)]


async def test_feedback_can_be_asked_for_by_run(company: Company, cli: Cli) -> None:
    """Lists newest first; unknown runs and wrong use are told plainly."""
    run = await worked(company)
    await remark(company, run, "first", 1)
    await remark(company, run, "second", 2)
    _, out = await cli("feedback", "run-1")
    assert out.index("second") < out.index("first")
    assert await cli("feedback", "run-2", "--json") == (
        1,
        "lead-agent: there is no run 2; `lead-agent runs` lists them\n",
    )
    assert (await cli("feedback", "--as-case"))[0] == 2
    assert (await cli("feedback", "run-2", "--as-case"))[0] == 1


# --- replayed


async def replayed(cli: Cli) -> JsonObject:
    code, out = await cli("replay", "run-1", "--json")
    assert code == 0, out
    found: JsonObject = json.loads(out)
    return found


def rows(company: Company) -> list[Any]:
    tables = ("runs", "transcript", "journal", "proposals", "deals", "messages", "notes", "cards")
    return [company.tamper(f"SELECT * FROM {table} ORDER BY 1, 2") for table in tables]


@pytest.mark.parametrize("verdict", [Verdict.APPROVE, Verdict.DENY])
async def test_the_same_again_is_the_same(company: Company, cli: Cli, verdict: Verdict) -> None:
    """An unchanged model replays to the same calls, words and end; nothing is sent, no row is changed."""
    await worked(company, verdict)
    before, sent = rows(company), list(company.channel.sent)
    asked = len(company.requests)
    found = await replayed(cli)
    assert (found["same"], found["differences"]) == (True, [])
    assert (rows(company), company.channel.sent) == (before, sent)
    again = company.requests[asked:]
    assert [body["messages"] for body in again] == [body["messages"] for body in company.requests[:asked]]


async def test_recorded_results_are_read_back(company: Company, cli: Cli) -> None:
    """What the history said then is what it says again, though there is a deal now."""
    await worked(company)
    asked = len(company.requests)
    await replayed(cli)
    told = [
        [block["content"] for block in body["messages"][-1]["content"] if block["type"] == "tool_result"]
        for body in (company.requests[asked - 1], company.requests[-1])
    ]
    assert told[0] == told[1]
    assert json.loads(told[1][0])["deals"] == []


async def test_differences_are_shown_where_they_are(company: Company, cli: Cli) -> None:
    """Another summary, another text, an escalation instead of words: each at its place."""
    await worked(company)
    company.script(
        turn(call("get_customer_history"), deal(summary="Another summary of it."), reply(OTHER)),
        turn(say("Finished.")),
    )
    found = await replayed(cli)
    places = {item["at"]: (item["before"], item["after"]) for item in found["differences"]}
    assert places["calls[2].arguments.text"] == (HELLO, OTHER)
    assert places["calls[1].arguments.summary"][1] == "Another summary of it."
    assert places["text"] == ("Done.", "Finished.")
    assert "status" not in places
    code, out = await cli("replay", "1")
    assert code == 0
    assert "calls[1].arguments.summary" in out


async def test_what_a_rule_sent_is_replayed_without_rules(company: Company, cli: Cli) -> None:
    """The approval is read back like a person's, and no rule is asked."""
    governed(company)
    await in_force(company)
    run = await company.work(await called(company))
    assert (run.status, (await company.proposal(run)).rule_id) == (RunStatus.DONE, 1)
    company.script(turn(reply()), DONE)
    code, out = await cli("replay", run.run_id, "--json")
    assert (code, json.loads(out)["differences"]) == (0, [])


async def test_a_call_that_was_never_recorded_touches_no_row(company: Company, cli: Cli) -> None:
    """It works on the replay's own store."""
    company.script(turn(say("Nothing to do.")))
    await company.work(await company.lead())
    company.script(*TALK)
    before = rows(company)
    found = await replayed(cli)
    assert found["after"]["status"] == "awaiting_confirmation"  # nobody decided that one
    assert [step["tool"] for step in found["after"]["calls"]][1] == "create_deal"
    assert rows(company) == before


async def test_later_words_come_where_they_came(company: Company, cli: Cli) -> None:
    """What the lead added during the run is part of the input."""
    run, _ = await company.waiting(*TALK)
    await company.write("And a website, please.", DANA)
    await company.begin()
    await company.work(run)
    asked = len(company.requests)
    found = await replayed(cli)
    assert found["same"]
    assert "And a website, please." in json.dumps(company.requests[asked + 1])


async def test_what_failed_fails_again(company: Company, cli: Cli) -> None:
    """The outcome of what was approved is read back like the rest, and so is its expiry."""
    company.channel.faults.append(Undeliverable("the lead blocked the bot"))
    await worked(company)
    assert (await replayed(cli))["same"]


async def test_an_expiry_is_replayed(company: Company, cli: Cli) -> None:
    """Nobody decided then, so nobody does now."""
    run, _ = await company.waiting(*TALK)
    company.clock.forward(25 * 3_600_000)
    await company.store.transaction(company.engine.approvals.expire)
    await company.work(run)
    assert (await replayed(cli))["same"]


async def test_a_model_out_of_reach_is_told(company: Company, cli: Cli) -> None:
    """Exit code 1, and where it ended."""
    await worked(company)
    for _ in range(3):
        company.api.inject(Fault(kind=FaultKind.OVERLOADED))
    code, out = await cli("replay", "run-1", "--json")
    assert (code, json.loads(out)["after"]["status"]) == (1, "queued")
    assert (await cli("replay", "run-9"))[0] == 1
    assert (await cli("replay", "nonsense"))[0] == 1


# --- cases


LEAD = (
    "Здравствуйте, я Айгерим, пишите на aigerim@mail.kz или +7 (701) 234-56-78, мой ник @aigerim_k, "
    "сайт https://aigerim.kz/shop. Айгериме нужен магазин к 2026-12-01, бюджет 1 500 000."
)


async def test_a_case_tells_of_nobody(company: Company, cli: Cli, tmp_path: Path) -> None:
    """Name, phone, mail, username, links and ids are replaced, consistently; the request stays."""
    words = "Здравствуйте, Айгерим! Менеджер позвонит на 8 701 234 56 78."
    run, _ = await company.waiting(turn(deal(summary="Айгерим хочет магазин."), reply(words)), DONE)
    company.tamper("UPDATE leads SET name = 'Айгерим Касымова', message = ?, phone = '+77012345678'", LEAD)
    run = await company.settle(run, Verdict.APPROVE)
    await remark(company, run, "спросить Айгерим о сроке")
    code, out = await cli("feedback", "run-1", "--as-case", "--out", str(tmp_path / "case.json"))
    assert (code, out) == (0, "")
    text = (tmp_path / "case.json").read_text(encoding="utf-8")
    case = json.loads(text)
    for detail in ("Айгерим", "айгерим", "Касымова", "aigerim", "701", "mail.kz"):
        assert detail not in text
    assert "бюджет 1 500 000" in case["lead"]["message"]
    assert "2026-12-01" in case["lead"]["message"]
    assert case["lead"]["name"] == "Person1"
    assert case["lead"]["phone"] in case["lead"]["message"]
    assert case["expected"] == "спросить Person1 о сроке"
    assert case["lead"]["phone"] in case["observed"]["calls"][1]["arguments"]["text"]
    assert (await cli("feedback", "run-1", "--as-case"))[1] == text


@pytest.mark.parametrize(
    ("words", "hidden"),
    [
        ("Меня зовут Ольга Петрова.", "Меня зовут Person2."),
        ("My name is John and I sell", "My name is Person2 and I sell"),
        ("менің атым Асан", "менің атым Person2"),
        ("Данные Даны у Даны", "Данные Person1 у Person1"),
        ("D-17, D-18 и D-17", "D-1, D-2 и D-1"),
        ("run-12 дал P-5", "run-1 дал P-1"),
        ("t.me/dana, @dana.", "https://example.com/1, @person1."),
        ("87012345678 = +7 701 234-56-78", "+70000000001 = +70000000001"),
        ("от 500 000 до 700 000", "от 500 000 до 700 000"),
        ("a@b.kz, A@B.kz", "person1@example.com, person1@example.com"),
    ],
)
def test_shapes_of_details(words: str, hidden: str) -> None:
    """The same detail gets the same stand-in, whatever its spelling."""
    assert Anonymous(["Дана"]).text(words) == hidden


@given(st.text(min_size=1, max_size=30), st.text(max_size=80))
def test_no_name_breaks_it(name: str, message: str) -> None:
    """Any name and any words give a case."""
    lead = {"source": "telegram", "name": name, "phone": None, "message": message}
    case = case_of("F-1", message, {"agent": "lead", "lead": lead, "later": []}, {"text": message})
    assert case["expected"] == case["lead"]["message"] == case["observed"]["text"]
