"""Tools: what the model may call, checked by us whatever the API promised."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from agent.channels import Route
from agent.jsontext import JsonObject
from agent.ports import Crm
from agent.proposals import Proposal
from agent.runs import Lead, Run


class Risk(StrEnum):
    """read: no side effect; write: internal and reversible; external: leaves the company, needs a person."""

    READ = "read"
    WRITE = "write"
    EXTERNAL = "external"


class Arguments(BaseModel):
    """Base of every tool's arguments: text is trimmed, unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=True)

    @classmethod
    def parse(cls, value: object) -> Self:
        """The checked arguments; ValidationError if `value` is not such an object."""
        return cls.model_validate(value)

    def as_json(self) -> JsonObject:
        return self.model_dump(mode="json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """All that an internal tool can reach: one lead, one run, the CRM inside the open transaction."""

    lead: Lead
    run: Run
    crm: Crm
    at: int
    attempt: int = 1


Inside = Callable[[Any, Scope], JsonObject]
Outside = Callable[[Any, Lead, Proposal], Awaitable[JsonObject]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool.  `run` serves read and write tools in one transaction; `send` is what an approval releases.

    A tool without either can be proposed and decided, but is not connected (`available` is false).
    route: by which channel `send` would leave, where that depends on the lead.
    retries: how often the engine itself tries a read tool again after a temporary error; once: what it gave
    is not read a second time in the same run.
    """

    name: str
    description: str
    risk: Risk
    arguments: type[Arguments]
    run: Inside | None = None
    send: Outside | None = None
    route: Callable[[Lead], Route | None] | None = None
    retries: int = 0
    once: bool = False

    @property
    def available(self) -> bool:
        return self.run is not None or self.send is not None

    def route_to(self, lead: Lead) -> Route | None:
        return self.route(lead) if self.route is not None else None

    @property
    def definition(self) -> JsonObject:
        """The strict definition sent to the model: bounds stay out of it, they are checked here."""
        return {
            "name": self.name,
            "description": self.description,
            "strict": True,
            "input_schema": strict_schema(self.arguments.model_json_schema()),
        }


# Strict schemas take no lengths and no patterns (Messages API); titles and defaults are noise to the model.
_KEPT = ("type", "enum", "description", "properties", "required", "items", "anyOf", "additionalProperties")


def strict_schema(schema: JsonObject, defs: JsonObject | None = None) -> JsonObject:
    """The part of a JSON schema that strict tools accept, references resolved."""
    defs = schema.get("$defs", {}) if defs is None else defs
    if "$ref" in schema:
        target: JsonObject = defs[schema["$ref"].rpartition("/")[2]]
        schema = {**target, **{key: item for key, item in schema.items() if key != "$ref"}}
    kept = {key: schema[key] for key in _KEPT if key in schema}
    if "const" in schema:
        kept["enum"] = [schema["const"]]
    if "items" in kept:
        kept["items"] = strict_schema(kept["items"], defs)
    if "anyOf" in kept:
        kept["anyOf"] = [strict_schema(item, defs) for item in kept["anyOf"]]
    if kept.get("type") == "object":
        properties = kept.get("properties", {})
        kept["properties"] = {name: strict_schema(item, defs) for name, item in properties.items()}
        kept["required"] = list(properties)
        kept["additionalProperties"] = False
    elif "enum" in kept:
        kept.pop("description", None)
    return kept


def complaint(error: ValidationError) -> str:
    """The faults of a tool input, a line each, in words the model can act on."""
    lines = (f"{'.'.join(map(str, item['loc'])) or 'input'}: {item['msg']}" for item in error.errors())
    return "\n".join(lines)
