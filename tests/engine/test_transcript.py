"""What can be read off a transcript, whatever it holds."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent import transcript
from agent.errors import ModelNonsense
from agent.jsontext import JsonObject, dumps
from agent.transcript import Call

IDS = st.lists(st.text("abcdef", min_size=1), unique=True, max_size=6)


def reply(ids: list[str]) -> JsonObject:
    calls = [{"type": "tool_use", "id": id, "name": "x", "input": {}} for id in ids]
    return {"role": "assistant", "content": [{"type": "text", "text": "Hm."}, *calls]}


def results(ids: list[str]) -> list[JsonObject]:
    return [transcript.result(Call(id=id, name="x", input={}), "{}") for id in ids]


FRAGMENTS = st.lists(st.builds(transcript.text, st.text()) | st.builds(reply, IDS), max_size=12)


@given(FRAGMENTS)
def test_merging_keeps_every_block_in_order(fragments: list[JsonObject]) -> None:
    """No two messages of the user are neighbours, nothing is lost, the fragments are left as they were."""
    before = dumps(fragments)
    messages = transcript.merge(fragments)
    blocks = [block for message in messages for block in message["content"]]
    assert blocks == [block for fragment in fragments for block in fragment["content"]]
    roles = [message["role"] for message in messages]
    assert ("user", "user") not in pairwise(roles)
    assert dumps(fragments) == before


@given(FRAGMENTS, st.integers(0, 12))
def test_merging_may_be_done_piece_by_piece(fragments: list[JsonObject], cut: int) -> None:
    """A transcript in hand and one read from its rows are the same messages."""
    assert transcript.merge([*transcript.merge(fragments[:cut]), *fragments[cut:]]) == transcript.merge(
        fragments
    )


@given(FRAGMENTS, IDS, st.integers(0, 6))
def test_open_calls_are_those_of_the_last_reply_without_a_result(
    fragments: list[JsonObject], ids: list[str], answered: int
) -> None:
    """In the model's order, whatever was said before."""
    messages = transcript.merge([*fragments, reply(ids), *results(ids[:answered])])
    assert [call.id for call in transcript.open_calls(messages)] == ids[answered:]


@given(FRAGMENTS)
def test_no_thinking_is_left_after_stripping(fragments: list[JsonObject]) -> None:
    """Thinking goes, all else stays, and no message is left empty."""
    thinking = [
        {"role": "assistant", "content": [{"type": kind, "data": "?"}]}
        for kind in ("thinking", "redacted_thinking")
    ]
    messages = transcript.merge(thinking + fragments)
    stripped = transcript.without_thinking(messages)
    assert "thinking" not in {block["type"] for message in stripped for block in message["content"]}
    assert all(message["content"] for message in stripped)
    assert stripped == [message for message in transcript.merge(fragments) if message["content"]]
    assert transcript.without_thinking(stripped) == stripped


@pytest.mark.parametrize(
    "block",
    [
        {"id": "a", "name": "x", "input": "{}"},
        {"id": "a", "name": "x", "input": None},
        {"id": "a", "name": "x"},
        {"id": "", "name": "x", "input": {}},
        {"id": None, "name": "x", "input": {}},
        {"id": "a", "name": 7, "input": {}},
    ],
)
def test_malformed_calls_are_nonsense(block: JsonObject) -> None:
    """A call that cannot be handed back to the API is refused with the whole reply."""
    with pytest.raises(ModelNonsense):
        transcript.calls([{"type": "tool_use", **block}])


def test_two_calls_with_one_id_are_nonsense() -> None:
    """Their results could not be told apart."""
    with pytest.raises(ModelNonsense):
        transcript.calls(reply(["a", "b", "a"])["content"])


@given(st.text())
def test_labelled_words_cannot_close_their_label(words: str) -> None:
    """No `<` is left, and the words come back the same."""
    text = transcript.data("lead", {"message": words})["content"][0]["text"]
    assert text.startswith("<lead>\n")
    assert text.endswith("\n</lead>")
    assert text.count("<") == 2
