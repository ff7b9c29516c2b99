"""JSON as it is stored and hashed, and text that every later reader can encode."""

import hashlib
import json
import math
import re
from typing import Any

JsonObject = dict[str, Any]

_COMPACT = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_CANONICAL = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=True)

_UNSENDABLE = re.compile("[\ud800-\udfff\x00]")
# Control characters, and those that turn the direction of the text around them.
_TWISTING = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def clean(value: Any) -> Any:
    """The same JSON value with what breaks a later reader replaced.

    Lone surrogates cannot be encoded (httpx and SQLite raise), NUL ends C strings, NaN and infinities
    are not JSON.  Whatever comes from a person or a model passes here once, before it is stored.
    """
    match value:
        case str():
            return value if value.isascii() and "\x00" not in value else _UNSENDABLE.sub("\ufffd", value)
        case dict():
            return {clean(str(key)): clean(item) for key, item in value.items()}
        case list():
            return [clean(item) for item in value]
        case float() if not math.isfinite(value):
            return None
    return value


def one_line(text: str) -> str:
    """A name as it may stand in the middle of a line: nothing in it bends the words around it."""
    return " ".join(_TWISTING.sub(" ", str(clean(text))).split())


def dumps(value: Any) -> str:
    """Compact JSON, text kept readable."""
    return _COMPACT.encode(value)


def digest(value: Any) -> str:
    """SHA-256 over canonical JSON: equal values have equal digests, whatever their key order."""
    return hashlib.sha256(_CANONICAL.encode(value).encode()).hexdigest()
