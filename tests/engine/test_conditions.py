"""Conditions of policies and rules: what holds of which call, and what they look like when stored."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.conditions import Case, Condition, LeadField, conditions_json, conditions_of
from agent.grounding.figures import largest_figure


def case(text: str = "Hello!", **fields: Any) -> Case:
    return Case(tool="send_reply", arguments={"text": text}, **fields)


def refund(amount: Any) -> Case:
    return Case(tool="refund", arguments={"amount": amount})


CONDITIONS: list[tuple[dict[str, Any], Case, bool]] = [
    ({"argument": "text", "longer_than": 5}, case("Hello!"), True),
    ({"argument": "text", "longer_than": 6}, case("Hello!"), False),
    ({"argument": "text", "contains": "цена"}, case("Наша ЦЕНА такая"), True),
    ({"argument": "text", "above": 100_000}, case("от 1 500 000 ₸"), True),
    ({"argument": "text", "above": 100_000}, case("от 50 000 ₸"), False),
    ({"argument": "text", "below": 10}, case("no number"), False),
    ({"argument": "amount", "equals": 5}, refund(5), True),
    ({"argument": "amount", "above": 4.5}, refund(5), True),
    ({"argument": "amount", "above": 1_000_000}, refund(1e22), True),
    ({"argument": "amount", "below": 0}, refund(-5), True),
    ({"argument": "amount", "above": 1_000_000}, refund([10, {"sum": 2_000_000}]), True),
    ({"argument": "missing", "contains": ""}, case(), False),
    ({"lead": "source", "one_of": ["website", "telegram"]}, case(source="website"), True),
    ({"lead": "returning", "equals": True}, case(returning=True), True),
    ({"lead": "service", "equals": "crm"}, case(services=("website", "crm")), True),
    ({"lead": "service", "equals": ""}, case(), True),
    ({"lead": "language", "equals": "kk"}, case(language="ru"), False),
    ({"marked": True}, case(marks=1), True),
    ({"marked": False}, case(marks=1), False),
    ({"argument": "text", "contains": "He", "marked": True}, case(), False),
]


@pytest.mark.parametrize(("condition", "asked", "holds"), CONDITIONS)
def test_conditions(condition: dict[str, Any], asked: Case, holds: bool) -> None:
    """Each asks of an argument, the lead or the marks; all that it names has to hold."""
    assert Condition.model_validate(condition).holds(asked) is holds


def test_of_several_values_one_asks_for_people_and_all_let_pass() -> None:
    """A call with a deal that the condition does not name is held up, and never let through by it."""
    crm = Condition(lead=LeadField.SERVICE, equals="crm")
    mixed = case(services=("crm", "website"))
    assert (crm.holds(mixed), crm.holds_throughout(mixed)) == (True, False)
    nothing = Condition(argument="text", contains="")
    assert not nothing.holds_throughout(Case(tool="send_reply", arguments={"text": []}))


@pytest.mark.parametrize(
    "written",
    """
    1 500 000 ₸; 1.500.000 тг; 1,500,000; 1'500'000; 1500000,00; 1,5 млн; 1.5m; полтора миллиона; 1500 тыс
    1 500к; от 100 000 до 1 500 000; 10-1500 тысяч; 1\u00a0500\u00a0000 тенге; 1500000шт; +1 500 000 тг
    １５０００００; в 2026 году 1 500 000; бір жарым миллион; one and a half million
    """.strip()
    .replace("\n", ";")
    .split(";"),
)
def test_a_figure_is_read_in_any_spelling(written: str) -> None:
    """So that no bound is passed by writing a sum in another way."""
    assert largest_figure(f"Это стоит {written}.") == 1_500_000


def test_a_phone_number_is_no_figure() -> None:
    """Written with a plus; a sum with one is."""
    assert largest_figure("Call +7 727 355 01 42 at 15:30.") == 30
    assert largest_figure("Плюс +77 273 550 142 тенге") == 77_273_550_142
    assert largest_figure("Nothing") is None


VALUES = st.text(max_size=20)
WRITTEN = st.one_of(
    st.builds(Condition, argument=VALUES, equals=VALUES | st.booleans() | st.integers(-9, 9)),
    st.builds(Condition, argument=VALUES, longer_than=st.integers(0, 999), above=st.floats(-9, 1e9)),
    st.builds(Condition, lead=st.just(LeadField.SOURCE), one_of=st.lists(VALUES, min_size=1).map(tuple)),
    st.builds(Condition, marked=st.booleans()),
)


@given(st.lists(WRITTEN, max_size=5))
def test_conditions_are_stored_as_json(conditions: list[Condition]) -> None:
    """And come back as they were."""
    assert conditions_of(conditions_json(conditions)) == tuple(conditions)
