"""The policy file: who has to approve what, written down as TOML."""

import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from agent.conditions import Condition
from agent.errors import SettingsError
from agent.leads.tools import ReplyText
from agent.policies import Policies
from agent.quorum import Requirement, Role
from agent.records.result import Operation
from agent.records.tool import RecordId

# What people decide on, and the arguments that conditions can ask of.
DECIDED: Mapping[str, Collection[str]] = {
    "send_reply": tuple(ReplyText.model_fields),
    **dict.fromkeys(Operation, tuple(RecordId.model_fields)),
}


def load(path: Path, *, required: bool) -> Policies:
    """The policies in the file; without one, the defaults.  SettingsError names every fault.

    required: the file was named, so that a missing one is a fault: nothing opens because a name is mistyped.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        if required:
            raise SettingsError([f"POLICY_FILE: there is no {path}"]) from None
        return Policies()
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError([f"POLICY_FILE: {path} cannot be read ({type(error).__name__})"]) from None
    try:
        return Policies.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise SettingsError([f"{path.name}: {error}"]) from None
    except ValidationError as error:
        found = dict.fromkeys(f"{path.name}: {_fault(item)}" for item in error.errors())
        raise SettingsError(list(found)) from None


def faults(policies: Policies, operators: frozenset[int] | None, admins: frozenset[int]) -> list[str]:
    """What can hold of no call, or asks for more people than there are.

    operators: user ids of those who may decide, admins included; None: the whole group.
    """
    return [*_misnamed(policies), *_idle(policies), *_undecidable(policies, operators, admins)]


def _misnamed(policies: Policies) -> Iterator[str]:
    """Tools and arguments that do not exist: what is written about them would never hold."""
    for name, policy in policies.tools.items():
        yield from _unknown(f"tools.{name}", name, f"tools.{name}", policy.when)
    for number, rule in enumerate(policies.rule):
        yield from _unknown(f"rule[{number}].tool", rule.tool, f"rule[{number}]", rule.when)


def _unknown(named: str, tool: str, where: str, when: Sequence[Condition]) -> Iterator[str]:
    if tool not in DECIDED:
        yield f"{named}: there is no such tool; people decide on {', '.join(DECIDED)}"
        return
    for number, condition in enumerate(when):
        if condition.argument is not None and condition.argument not in DECIDED[tool]:
            arguments = ", ".join(DECIDED[tool])
            yield f"{where}.when[{number}].argument: {tool} has {arguments}, not {condition.argument}"


def _idle(policies: Policies) -> Iterator[str]:
    """Rules that could let nothing pass."""
    for number, rule in enumerate(policies.rule):
        if rule.tool in DECIDED and policies.tool(rule.tool).irreversible:
            yield (
                f"rule[{number}].tool: a rule sends only what can be put right; where that is so, write "
                f"irreversible = false under [tools.{rule.tool}]"
            )


def _undecidable(
    policies: Policies, operators: frozenset[int] | None, admins: frozenset[int]
) -> Iterator[str]:
    for where, requirement in policies.requirements():
        people = requirement.among(operators, admins)
        if people is not None and requirement.quorum > len(people):
            unnamed = " (ADMIN_IDS is empty)" if requirement.role is Role.ADMINS and not admins else ""
            yield f"{where}: {_people(requirement)} to approve, and {len(people)} may{unnamed}"


def _people(requirement: Requirement) -> str:
    return "1 person has" if requirement.quorum == 1 else f"{requirement.quorum} people have"


_PLAIN_WORDS = {
    "missing": "missing",
    "extra_forbidden": "there is no such name; see policy.example.toml",
    "bool_type": "write true or false",
    "bool_parsing": "write true or false",
    "int_type": "write a whole number",
    "int_parsing": "write a whole number",
    "greater_than_equal": "write at least {ge}",
    "less_than_equal": "write at most {le}",
    "enum": "write one of: {expected}",
    "float_type": "write a number, like 1_000_000",
    "float_parsing": "write a number, like 1_000_000",
    "finite_number": "write a number, like 1_000_000",
    "string_type": 'write a text: "..."',
    "too_short": "name at least one",
    "too_long": "name at most {max_length}",
    "tuple_type": 'write a list: ["..."]',
    "date_type": "write a day: 2027-03-01",
    "date_from_datetime_parsing": "write a day: 2027-03-01",
    "date_from_datetime_inexact": "write a day: 2027-03-01",
    "model_type": "write a table: names and their values",
}
# Of these pydantic complains once for each form that they can have.
_FORMS = {
    "approvers": 'write "operators", "admins", or user ids: [111, 222]',
    "equals": "write one text, one number, true or false",
}


def _fault(item: ErrorDetails) -> str:
    """Where it stands in the file, and what to write."""
    for name, words in _FORMS.items():
        if name in item["loc"]:
            return f"{_place(item['loc'][: item['loc'].index(name) + 1])}: {words}"
    words = _PLAIN_WORDS.get(item["type"], item["msg"].removeprefix("Value error, "))
    return f"{_place(item['loc']) or 'file'}: {words.format(**item.get('ctx', {}))}"


def _place(loc: tuple[str | int, ...]) -> str:
    """tools.send_reply.when[0].above"""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc)
    return "".join(parts).removeprefix(".")
