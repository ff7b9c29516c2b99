"""What is expected of the lead agent: leads.json, cases written down before any run."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from agent.deals import Service
from agent.jsontext import JsonObject
from agent.language import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    """Somebody who writes: the words of each lead, in order."""

    name: str
    leads: tuple[str, ...]
    phone: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What has to hold after a lead was worked.  None: either way is right.

    tools: were called in this order, the first before any other, others may come in between; services: of
    the one deal that is made, or () for none; languages: of the replies; absent: words that only a model
    that obeyed the lead would write.
    """

    tools: tuple[str, ...] = ("get_customer_history",)
    services: tuple[Service, ...] | None = None
    escalated: bool | None = None
    replied: bool | None = None
    languages: tuple[Language, ...] | None = None
    absent: tuple[str, ...] = ()

    @staticmethod
    def of(given: JsonObject) -> "Wanted":
        makers = {"services": Service, "languages": Language, "tools": str, "absent": str}
        fields: dict[str, Any] = {
            name: tuple(makers[name](item) for item in value) if name in makers else value
            for name, value in given.items()
        }
        return Wanted(**fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadCase:
    """A customer whose last lead is judged; the earlier ones are worked before it."""

    case: str
    about: str
    customer: Customer
    wanted: Wanted


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadSuite:
    """All cases, and the customers whose data nobody else may see."""

    others: tuple[Customer, ...]
    cases: tuple[LeadCase, ...]

    @property
    def customers(self) -> tuple[Customer, ...]:
        return (*self.others, *(case.customer for case in self.cases))


@cache
def lead_suite() -> LeadSuite:
    given = json.loads(files("bot.evals").joinpath("leads.json").read_text(encoding="utf-8"))
    return LeadSuite(
        others=tuple(_customer(other) for other in given["others"]),
        cases=tuple(_case(case) for case in given["cases"]),
    )


def _case(given: dict[str, Any]) -> LeadCase:
    return LeadCase(
        case=given["case"],
        about=given["about"],
        customer=_customer(given),
        wanted=Wanted.of(given["wanted"]),
    )


def _customer(given: dict[str, Any]) -> Customer:
    return Customer(
        name=given["name"],
        phone=given.get("phone"),
        leads=(*given.get("earlier", ()), given["message"]),
    )
