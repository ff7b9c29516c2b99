"""The policy file: who has to approve what, written down as TOML."""

import tomllib
from pathlib import Path

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from agent.errors import SettingsError
from agent.policies import Policies


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
        raise SettingsError([f"{path.name}: {_fault(item)}" for item in error.errors()]) from None


_PLAIN_WORDS = {
    "extra_forbidden": "there is no such name; see policy.example.toml",
    "bool_type": "write true or false",
    "bool_parsing": "write true or false",
    "int_type": "write a whole number",
    "int_parsing": "write a whole number",
    "greater_than_equal": "write at least {ge}",
    "less_than_equal": "write at most {le}",
    "enum": "write one of: {expected}",
}


def _fault(item: ErrorDetails) -> str:
    """Where it stands in the file, and what to write."""
    where = "".join(
        f"[{part}]" if isinstance(part, int) else f".{part}" for part in item["loc"] if _is_ours(part)
    )
    words = _PLAIN_WORDS.get(item["type"], item["msg"].removeprefix("Value error, "))
    return f"{where.lstrip('.') or 'file'}: {words.format(**item.get('ctx', {}))}"


def _is_ours(part: str | int) -> bool:
    """Whether it is a name in the file; pydantic also names the type that it tried."""
    return isinstance(part, int) or not ("[" in part or part in ("Role", "str", "int", "float", "bool"))
