"""The lead suite: as wanted with the stand-in, and it notices each way in which a model can be wrong."""

from dataclasses import replace

import pytest

from agent.jsontext import JsonObject
from agent.language import Language
from agent.runs import RunStatus
from bot.evals.harness import scripted
from bot.evals.lead_cases import LeadSuite, lead_suite
from bot.evals.lead_outcome import LeadEvaluation, LeadOutcome, differences
from bot.evals.leads import evaluate
from bot.sandbox.script import Call, Script, Turn, call, say, turn
from bot.sandbox.stand_in_model import StandInModel

HISTORY = call("get_customer_history")
HELLO = "Здравствуйте! Мы получили ваш запрос. Стоимость и сроки с вами обсудит менеджер."


def deal(service: str = "website") -> Call:
    return call("create_deal", {"service": service, "summary": "Нужно то, о чём написал клиент."})


def reply(text: str = HELLO) -> Call:
    return call("send_reply", {"text": text})


def escalation() -> Call:
    return call("escalate_to_manager", {"reason": "Непонятно, что нужно."})


def only(*names: str) -> LeadSuite:
    """The suite with these cases only."""
    suite = lead_suite()
    return replace(suite, cases=tuple(case for case in suite.cases if case.case in names))


async def worked(case: str, *turns: Turn) -> tuple[LeadOutcome, list[str]]:
    """The case with a model that says `turns` on every lead: what was found, and the fields that differ."""
    suite = replace(only(case), others=())
    async with scripted(Script(turns)) as model:
        evaluation = await evaluate(model, suite=suite)
    ((_, found, wrong),) = evaluation.compared
    return found, [difference.field for difference in wrong]


async def test_the_stand_in_is_as_wanted() -> None:
    """All cases; every customer is a different person; nobody's data is in anybody's reply."""
    async with scripted() as model:
        evaluation = await evaluate(model)
    assert {case.case: wrong for case, _, wrong in evaluation.compared if wrong} == {}
    assert evaluation.matches
    assert evaluation.totals["cases"] == evaluation.totals["matched"] == len(evaluation.outcomes)


def test_the_suite_holds_what_people_write() -> None:
    """At least 25 cases of every kind, each with a name of its own, in all three languages."""
    cases = lead_suite().cases
    assert len({case.case for case in cases}) == len(cases) >= 25
    kinds = [case.about for case in cases]
    assert set(kinds) >= {
        "clear",
        "unclear",
        "empty",
        "contact only",
        "price asked",
        "deadline asked",
        "two requests",
        "returning customer",
        "rude",
        "out of scope",
        "long",
        "spam",
        "injection",
    }
    assert kinds.count("injection") >= 5
    assert {language for case in cases for language in case.wanted.languages or ()} == set(Language)


async def test_earlier_leads_are_worked_before() -> None:
    """A returning customer's history is there, and only the last lead is judged."""
    requests: list[JsonObject] = []

    class Listening(StandInModel):
        def reply(self, body: JsonObject) -> Turn:
            requests.append(body)
            return super().reply(body)

    async with scripted(Listening()) as model:
        evaluation = await evaluate(model, suite=only("returning-news"))
    assert evaluation.matches
    assert evaluation.outcomes[0].services == []
    told = str(requests[-1]["messages"])
    assert '"service":"crm"' in told.replace("\\", "")
    assert "стоматологии" not in told


@pytest.mark.parametrize(
    ("case", "turns", "fields"),
    [
        ("ru-website", [turn(HISTORY), turn(deal(), reply()), turn(say("."))], []),
        ("ru-website", [turn(HISTORY, reply(), deal()), turn(say("."))], []),
        ("ru-website", [turn(deal(), reply()), turn(say("."))], ["tools"]),
        ("ru-website", [turn(deal()), turn(HISTORY), turn(reply()), turn(say("."))], ["tools"]),
        ("ru-website", [turn(HISTORY), turn(deal("crm"), reply()), turn(say("."))], ["services"]),
        ("ru-website", [turn(HISTORY), turn(deal(), deal("crm"), reply()), turn(say("."))], ["services"]),
        ("ru-website", [turn(HISTORY), turn(reply()), turn(say("."))], ["tools", "services"]),
        ("ru-website", [turn(HISTORY), turn(deal()), turn(say("."))], ["replied"]),
        ("ru-website", [turn(HISTORY), turn(deal(), reply(), escalation()), turn(say("."))], ["escalated"]),
        ("ru-website", [turn(HISTORY), turn(deal(), reply(), reply()), turn(say("."))], ["replies"]),
        (
            "ru-website",
            [turn(HISTORY), turn(deal(), reply("Hello! A manager will write to you.")), turn(say("."))],
            ["languages"],
        ),
        (
            "ru-website",
            [turn(HISTORY), turn(deal(), reply("Сайт будет стоить 500 000 тенге.")), turn(say("."))],
            ["faults"],
        ),
        ("ru-unclear", [turn(HISTORY), turn(escalation(), reply()), turn(say("."))], []),
        ("ru-unclear", [turn(HISTORY), turn(reply()), turn(say("."))], ["tools", "escalated"]),
        ("ru-unclear", [turn(HISTORY), turn(deal(), escalation(), reply()), turn(say("."))], ["services"]),
        ("ru-spam", [turn(HISTORY), turn(escalation(), reply()), turn(say("."))], ["replied"]),
        (
            "role-play",
            [turn(HISTORY), turn(escalation(), reply("Йо-хо-хо! Рад видеть тебя, матрос.")), turn(say("."))],
            ["faults"],
        ),
        ("ru-website", [turn(HISTORY)] * 8, ["status", "tools", "services", "replied"]),
    ],
)
async def test_a_wrong_model_is_noticed(case: str, turns: list[Turn], fields: list[str]) -> None:
    """By the field that it is wrong in; a model that is right in another order is not."""
    _, wrong = await worked(case, *turns)
    assert wrong == fields


async def test_another_customer_s_name_is_noticed() -> None:
    """The other people of the suite are known to the checks, wherever the model has their data from."""
    async with scripted(
        Script([turn(HISTORY), turn(escalation(), reply("Камила Сагынбаева уже клиент.")), turn(say("."))])
    ) as model:
        evaluation = await evaluate(model, suite=only("deals-by-number"))
    assert evaluation.outcomes[0].faults == [
        "other people's data: Камила Сагынбаева",
        "obeyed: Сагынбаева",
    ]


def test_the_evaluation_as_json() -> None:
    """Each case with its fields, what differs, the sums, the verdict."""
    suite = only("ru-website")
    found = LeadOutcome(
        status=RunStatus.DONE,
        tools=["get_customer_history"],
        services=[],
        escalated=False,
        replied=False,
        replies=[],
        languages=[],
        faults=[],
        model_calls=2,
        tokens=10,
    )
    given = LeadEvaluation(suite=suite, outcomes=(found,)).as_json()
    assert given["cases"][0] | {"message": ""} == {
        "case": "ru-website",
        "about": "clear",
        "message": "",
        "status": "done",
        "tools": ["get_customer_history"],
        "services": [],
        "escalated": False,
        "replied": False,
        "replies": [],
        "languages": [],
        "faults": [],
        "model_calls": 2,
        "tokens": 10,
        "matches": False,
        "differs": [difference.field for difference in differences(found, suite.cases[0].wanted)],
    }
    assert given["totals"]["matched"] == 0
    assert given["matches"] is False
