"""Whatever a bot sends, it is answered or refused; the stand-in itself never fails."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.sandbox.bot_api import HANDLERS
from bot.sandbox.errors import ApiError
from bot.sandbox.methods import KINDS, METHODS, Kind
from bot.sandbox.params import RawCall, checked
from bot.sandbox.state import view
from bot.sandbox.world import World

WORDS = (
    "text message_id offset length type emoji inline_keyboard keyboard url chat_id callback_data copy_text"
    " command description force_reply quote x"
)
SCALARS: st.SearchStrategy[Any] = st.none() | st.booleans() | st.integers(-3, 5) | st.text(max_size=8)
OBJECTS = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS.split()), inner, max_size=4)
    ),
    max_leaves=12,
)
BUTTON = st.dictionaries(st.sampled_from(["text", "url", "callback_data", "copy_text"]), OBJECTS, min_size=2)
ROWS = st.lists(st.lists(BUTTON | OBJECTS, max_size=2), max_size=2)
MARKUP = st.dictionaries(st.sampled_from(["inline_keyboard", "keyboard"]), ROWS, max_size=1)


def values(name: str, world: World) -> st.SearchStrategy[Any]:
    """Values that pass the check of their type, so that they get further."""
    match KINDS.get(name, Kind.STRING):
        case Kind.CHAT:
            return st.sampled_from(sorted(world.chats))
        case Kind.INTEGER:
            return st.sampled_from([1, 1, 1, 2, 9])
        case Kind.BOOLEAN:
            return st.booleans()
        case Kind.JSON if name == "reply_markup":
            return MARKUP
        case Kind.JSON:
            return OBJECTS.filter(lambda value: isinstance(value, list | dict))
        case _ if name == "parse_mode":
            return st.sampled_from(["HTML", ""])
        case _:
            return st.sampled_from(["x", "<b>x</b>", "typing"]) | st.text(max_size=5)


def populated() -> World:
    world = World(forum=True)
    dana = world.add_person("Dana")
    world.say(dana, "hello")
    world.channel_post("news")
    for chat in (world.group, world.chats[dana.id]):
        world.put(chat, world.me, {"text": "card"})
    return world


# Webhooks start a task and so need a loop; their tests are elsewhere.
@pytest.mark.parametrize("method", sorted(set(HANDLERS) - {"setWebhook"}))
@settings(max_examples=60)
@given(data=st.data())
def test_any_parameters(method: str, data: st.DataObject) -> None:
    """Only ApiError leaves the check and the handler, and what was posted can be shown."""
    world = populated()
    known = METHODS[method]
    fields = data.draw(
        st.fixed_dictionaries(
            {name: values(name, world) for name in sorted(known.required)},
            optional={name: values(name, world) for name in sorted(known.optional)},
        )
    )
    refused = None
    try:
        HANDLERS[method](world, checked(method, RawCall(fields, {})))
    except ApiError as error:
        refused = error
    assert refused is None or refused.status in {400, 403}
    assert all(view(chat, message) for chat in world.chats.values() for message in chat.messages.values())
