"""Tokens and what they cost."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from agent.limits import Price, Usage, cost

COUNT = st.integers(0, 10**9)
USAGE = st.builds(Usage, input=COUNT, output=COUNT, cache_write=COUNT, cache_read=COUNT)
OPUS = Price(input=Decimal(4), output=Decimal(20), cache_read=Decimal("0.4"), cache_write=Decimal(5))
PRICES = {"claude-opus-5-5": OPUS}


def test_the_formula() -> None:
    """Each kind of token has its price per million."""
    usage = Usage(input=1_000_000, output=500_000, cache_write=200_000, cache_read=2_000_000)
    assert cost(usage, "claude-opus-5-5", PRICES) == Decimal("15.8")  # 4 + 10 + 1 + 0.8


def test_the_specifications_demo() -> None:
    """5,400 tokens in and 360 out are 2.88 cents, exactly."""
    assert cost(Usage(input=5_400, output=360), "claude-opus-5-5", PRICES) == Decimal("0.0288")


def test_no_price_no_figure() -> None:
    """A model without a configured price costs nothing that could be told."""
    assert cost(Usage(input=1), "claude-haiku-5-5", PRICES) is None


@given(USAGE, USAGE)
def test_usage_adds_up(one: Usage, other: Usage) -> None:
    """Totals and costs of a sum are the sums, without rounding."""
    assert (one + other).total == one.total + other.total
    both = cost(one + other, "claude-opus-5-5", PRICES)
    parts = [cost(usage, "claude-opus-5-5", PRICES) for usage in (one, other)]
    assert both == sum(part for part in parts if part is not None)
