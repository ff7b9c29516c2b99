"""Whatever a person or a model sends can be stored, hashed and sent on."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent.jsontext import clean, digest, dumps

# Any text, lone surrogates and NUL among it, and any number, finite or not.
TEXT = st.text(st.characters(categories=None)) | st.sampled_from(["\ud800", "a\x00b", "\udfff\ud800", "😀"])
SCALAR = st.none() | st.booleans() | st.integers() | st.floats() | TEXT
JSON = st.recursive(SCALAR, lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner), max_leaves=20)


@given(JSON)
def test_cleaned_is_always_sendable(value: Any) -> None:
    """The result encodes as UTF-8 JSON, comes back the same, and holds no NUL."""
    cleaned = clean(value)
    text = dumps(cleaned)
    assert json.loads(text.encode("utf-8")) == cleaned
    assert "\\u0000" not in text.replace("\\\\", "")


@given(JSON)
def test_cleaning_twice_is_cleaning_once(value: Any) -> None:
    """What is clean stays as it is."""
    cleaned = clean(value)
    assert dumps(clean(cleaned)) == dumps(cleaned)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")))
def test_good_text_is_left_alone(text: str) -> None:
    """Every other character comes through."""
    assert clean({text: [text]}) == {text: [text]}


@given(JSON.map(clean))
def test_a_digest_depends_on_the_value_only(value: Any) -> None:
    """A stored and reloaded value has the same digest, in whatever order its keys come."""
    assert digest(json.loads(dumps(value))) == digest(value)
    if isinstance(value, dict):
        assert digest(dict(reversed(value.items()))) == digest(value)
    assert digest([value]) != digest(value)
