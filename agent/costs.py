"""What a run costs: tokens by kind, units of services, a share of the infrastructure.

    cost = Σ tokens × price per million / 1,000,000  +  Σ units × price of the unit  +  infrastructure per run

A unit is one call of a tool that reached it (retries and faults count, refused arguments do not), or one
answer of the model (`model_call`).  A unit without a price is one that nobody charges for.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from agent.limits import Price, Usage, cost

Units = Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tariff:
    """All prices, in one currency: of models per million tokens, of units, and per run."""

    models: Mapping[str, Price] = field(default_factory=dict)
    units: Mapping[str, Decimal] = field(default_factory=dict)
    per_run: Decimal = Decimal(0)


def cost_of_run(usage: Usage, model: str, units: Units, tariff: Tariff) -> Decimal | None:
    """What a run cost; None where its model has no price, for a part of the sum would pass for the whole."""
    tokens = cost(usage, model, tariff.models)
    if tokens is None:
        return None
    services = sum((count * tariff.units.get(unit, Decimal(0)) for unit, count in units.items()), Decimal(0))
    return tokens + services + tariff.per_run
