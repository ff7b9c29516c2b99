"""Rules that hold for any request at all."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.hooks import Preset, read
from tests.hooks.posts import FORM, JSON, json_body
from tests.hooks.submissions import SENDERS, of

presets = st.sampled_from(Preset)
content_types = st.sampled_from(
    [
        None,
        JSON,
        FORM,
        "multipart/form-data; boundary=b",
        "text/plain; charset=utf-16",
        "\x00",
        "a/b; charset=idna",
    ]
)
KEYS = """
form fields data payload form_response definition answers field type value id eventId options rows title name
user_column_data rawRequest submissionID response form_id phone meta label tranid test filename first key
hidden text email
"""
# Every product's own keys, in the wrong places.
keys = st.text(max_size=5) | st.sampled_from(KEYS.split())
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=12,
)


@given(preset=presets, content_type=content_types, body=st.binary(max_size=200))
def test_any_bytes_are_read_without_a_fault(preset: Preset, content_type: str | None, body: bytes) -> None:
    """Never an error, and always text that can be stored."""
    submission = read(preset, content_type, body, region="KZ")
    kept = [submission.message, *(text for pair in (*submission.fields, *submission.meta) for text in pair)]
    assert not any("\0" in text for text in kept)
    assert "\n".join(kept).encode().strip() or submission.ping


@given(preset=presets, value=st.dictionaries(keys, json_values, max_size=6))
def test_any_json_is_read_without_a_fault(preset: Preset, value: dict[str, Any]) -> None:
    """Objects where texts are awaited, lists where objects are, every product's keys in the wrong places."""
    body = json.dumps(value).encode()
    submission = read(preset, JSON, body, region="KZ")
    str(submission).encode()


words = st.text(
    alphabet="абвгдежзиклмнопрстуәіңғүұқөһabcdxyz012 !?.,«»\"'&=+%{}[]<>\\\n", min_size=1, max_size=40
).filter(str.strip)
plain_keys = st.text(alphabet="abcабв_- ", max_size=6)
labels = st.sampled_from(
    ["Имя", "Фамилия", "Телефон", "E-mail", "Комментарий", "Что нужно?", "Имя питомца", "your-subject"]
)


@pytest.mark.parametrize("sender", SENDERS)
@given(answers=st.dictionaries(labels, words, min_size=1, max_size=5))
def test_nothing_a_person_wrote_is_lost(sender: str, answers: dict[str, str]) -> None:
    """Every answer is in the fields as it was, and what is no contact detail is in the message."""
    preset, request, _ = SENDERS[sender]
    submission = of(preset, request(answers))
    assert not submission.raw_only
    said = [text for _, text in submission.fields]
    told = " ".join([submission.name or "", *submission.emails, *(phone.raw for phone in submission.phones)])
    for text in answers.values():
        assert text.strip() in said
        assert text.strip() in submission.message or " ".join(text.split()) in told


def test_every_preset_has_its_sender() -> None:
    """So that what is proven of all senders is proven of all presets."""
    assert {preset for preset, _, _ in SENDERS.values()} == set(Preset)


@given(
    preset=presets,
    value=st.dictionaries(
        plain_keys,
        st.recursive(
            words, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(plain_keys, inner, max_size=3)
        ),
        max_size=5,
    ),
)
def test_every_text_of_any_tree_is_somewhere(preset: Preset, value: dict[str, Any]) -> None:
    """However it is nested and whoever posts it: among the answers or what was added to them."""
    submission = of(preset, json_body(value))
    kept = "\n".join(text for _, text in (*submission.fields, *submission.meta))
    for text in _texts(value):
        assert text.strip() in kept


def _texts(value: Any) -> list[str]:
    match value:
        case dict():
            return [text for item in value.values() for text in _texts(item)]
        case list():
            return [text for item in value for text in _texts(item)]
    return [value]
