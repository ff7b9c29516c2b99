"""What a run may spend, what it has spent, and what that costs."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one run, checked before every model call; one call may overshoot `max_tokens`."""

    max_steps: int = 8
    max_tokens: int = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens by kind.  Cache tokens are input too (Messages API: input + cache_creation + cache_read)."""

    input: int = 0
    output: int = 0
    cache_write: int = 0
    cache_read: int = 0

    @property
    def total(self) -> int:
        return self.input + self.output + self.cache_write + self.cache_read

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input=self.input + other.input,
            output=self.output + other.output,
            cache_write=self.cache_write + other.cache_write,
            cache_read=self.cache_read + other.cache_read,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Money per million tokens, by kind."""

    input: Decimal
    output: Decimal
    cache_read: Decimal
    cache_write: Decimal


def cost(usage: Usage, model: str, prices: Mapping[str, Price]) -> Decimal | None:
    """What `usage` costs with `model`, in the currency of `prices`; None where no price is configured."""
    if (price := prices.get(model)) is None:
        return None
    total = (
        usage.input * price.input
        + usage.output * price.output
        + usage.cache_read * price.cache_read
        + usage.cache_write * price.cache_write
    )
    return total / 1_000_000
