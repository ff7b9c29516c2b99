"""Every run keeps what it was made by, and its cost is the whole formula or nothing."""

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.costs import Tariff, cost_of_run
from agent.errors import NotSent, SettingsError
from agent.limits import Price, Usage
from agent.proposals import Verdict
from agent.versions import code_version
from agent.views import report_object
from bot.sandbox.script import call, say, turn
from bot.settings import Settings
from tests.company import SECOND, Company, WithTool, deal, reply

MODEL = "claude-opus-5-5"
PRICE = Price(input=Decimal(4), output=Decimal(20), cache_read=Decimal("0.4"), cache_write=Decimal(5))
TALK = (turn(call("get_customer_history"), deal(), reply()), turn(say("Done.")))


def test_the_whole_formula() -> None:
    """Tokens by kind, units by price and the share of the infrastructure add up exactly."""
    tariff = Tariff(models={MODEL: PRICE}, units={"send_reply": Decimal("0.01")}, per_run=Decimal("0.002"))
    usage = Usage(input=5_400, output=360, cache_read=1_000, cache_write=10)
    units = {"send_reply": 3, "create_deal": 1, "model_call": 2}
    assert cost_of_run(usage, MODEL, units, tariff) == Decimal("0.06125")


def test_no_price_of_the_model_no_figure() -> None:
    """A part of the sum would pass for the whole: units and infrastructure alone make no figure."""
    tariff = Tariff(units={"send_reply": Decimal(1)}, per_run=Decimal(1))
    assert cost_of_run(Usage(input=1), MODEL, {"send_reply": 1}, tariff) is None


@given(
    st.dictionaries(st.sampled_from("abc"), st.decimals(0, 1000, places=6)),
    st.lists(st.sampled_from("abcd"), max_size=30),
)
def test_units_are_counted_without_rounding(prices: dict[str, Decimal], calls: list[str]) -> None:
    """The sum of all calls one by one is the sum of the units."""
    tariff = Tariff(models={MODEL: PRICE}, units=prices)
    units = {unit: calls.count(unit) for unit in calls}
    expected = sum((prices.get(unit, Decimal(0)) for unit in calls), Decimal(0))
    assert cost_of_run(Usage(), MODEL, units, tariff) == expected


async def test_units_are_what_reached_a_service(company: Company) -> None:
    """Every attempt at sending counts, refused arguments and rejected calls do not."""
    company.channel.faults.append(NotSent("flood control", retry_after=1))
    company.script(
        turn(call("get_customer_history"), deal(service="nonsense"), deal(), reply()), turn(say("Done."))
    )
    run = await company.work(await company.lead())
    await company.press(await company.proposal(run), Verdict.APPROVE)
    await company.work(run)
    company.clock.forward(2 * SECOND)
    for id in await company.due():
        await company.engine.advance(id)
    report = await company.store.read(lambda tx: tx.views.report(run.id))
    assert report.units == {"get_customer_history": 1, "create_deal": 1, "send_reply": 2, "model_call": 2}
    assert report_object(report, Tariff())["cost"] is None
    tariff = Tariff(models={MODEL: PRICE}, units={"send_reply": Decimal("0.5")})
    shown = report_object(report, tariff)
    by_kind = shown["tokens_by_kind"]
    assert Decimal(shown["cost"]) == 1 + sum(
        by_kind[kind] * getattr(PRICE, kind) / 1_000_000 for kind in by_kind
    )
    assert sum(by_kind.values()) == shown["tokens"]


async def test_a_run_keeps_the_versions_it_began_with(company: Company) -> None:
    """A new prompt, model or tool changes the versions of later runs, and only the parts that changed."""
    company.script(*TALK)
    first = await company.lead()
    company.change(company="a bakery in Astana", model="claude-haiku-5-5")
    second = await company.lead(telegram_id=78)
    extra = replace(company.agent.tools["create_deal"], name="open_ticket")
    company.deploy(WithTool(channel=company.channel, model="claude-haiku-5-5", extra=extra))
    third = await company.lead(telegram_id=79)
    await company.restart()
    runs = (first, second, third)
    reports = await company.store.read(lambda tx: [tx.views.report(run.id) for run in runs])
    one, two, three = [report.versions for report in reports]
    assert (one.prompt.name, one.model.name, two.model.name) == ("lead", MODEL, "claude-haiku-5-5")
    assert one.prompt.hash != two.prompt.hash
    assert one.model.hash != two.model.hash == three.model.hash
    assert one.tools == two.tools != three.tools
    assert three.tools.name.endswith("open_ticket")
    assert one.result_schema == two.result_schema
    assert one.code == two.code == three.code == code_version()
    assert set(one.as_json()) == {"prompt", "model", "tools", "result_schema", "code"}
    assert all(set(part) == {"name", "hash"} for part in one.as_json().values())


async def test_runs_from_before_tell_of_no_code(company: Company) -> None:
    """What was not kept is not made up."""
    run = await company.lead()
    company.tamper("UPDATE runs SET code_hash = NULL")
    report = await company.store.read(lambda tx: tx.views.report(run.id))
    assert report.versions.as_json()["code"] is None


def test_the_code_is_told_by_name_and_content() -> None:
    """The package's version, and a hash that is the same for the same modules."""
    code = code_version()
    assert code.name[0].isdigit()
    assert len(code.hash) == 64
    assert code_version.__wrapped__() == code


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("service_prices", '{"send_reply": -1}'),
        ("service_prices", '["send_reply"]'),
        ("service_prices", '{"send_reply": "NaN"}'),
        ("infra_cost_per_run", "a lot"),
        ("infra_cost_per_run", "-0.1"),
        ("prices", '{"m": {"input": -4, "output": 1, "cache_read": 1, "cache_write": 1}}'),
    ],
)
def test_prices_that_are_none_are_refused(name: str, value: str) -> None:
    """The setting is named, with what to write."""
    with pytest.raises(SettingsError, match=name.upper()):
        Settings.load(_env_file=None, **{name: value})


def test_prices_are_exact() -> None:
    """A price is what was written, not the nearest binary fraction."""
    settings = Settings.load(_env_file=None, service_prices='{"send_reply": 0.1}', infra_cost_per_run="0.002")
    assert settings.tariff.units == {"send_reply": Decimal("0.1")}
    assert settings.tariff.per_run == Decimal("0.002")
