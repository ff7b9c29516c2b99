"""Text as Telegram keeps it: plain words and entities, whose offsets and lengths count UTF-16 units.

Commands are the only entities found without markup; links, mentions and numbers are left as plain words.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

Entity: TypeAlias = dict[str, Any]
"""A MessageEntity of the Bot API."""

_TAGS: Final = {
    "bold": "b",
    "italic": "i",
    "underline": "u",
    "strikethrough": "s",
    "spoiler": "tg-spoiler",
    "code": "code",
    "pre": "pre",
    "blockquote": "blockquote",
}
# Telegram turns control characters into spaces, and drops carriage returns and line or direction overrides.
_CLEANED: Final = (
    dict.fromkeys(range(32), " ") | {10: "\n", 13: None} | dict.fromkeys(range(0x2028, 0x202F), None)
)
_COMMAND = re.compile(r"(?<![\w/<>])/[a-zA-Z0-9_]{1,64}(?:@[a-zA-Z0-9_]{3,32})?(?![\w/<>])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Formatted:
    """What Telegram stores of a text: no white space around it, entities in order of their place."""

    text: str
    entities: tuple[Entity, ...] = ()


def clean(text: str) -> str:
    """`text` as Telegram's server passes it on: control characters become spaces."""
    return text.translate(_CLEANED)


def plain(text: str) -> Formatted:
    """A text without formatting."""
    return Formatted(text=clean(text).strip())


def trimmed(text: str, entities: Iterable[Entity]) -> Formatted:
    """`text` without white space around it, its entities moved and cut to what is left."""
    words = text.strip()
    start = width(text[: len(text) - len(text.lstrip())])
    stop = start + width(words)
    kept = []
    for entity in entities:
        begin, end = max(entity["offset"], start), min(_end(entity), stop)
        if begin < end:
            kept.append({**entity, "offset": begin - start, "length": end - begin})
    kept.sort(key=lambda entity: (entity["offset"], -entity["length"]))
    return Formatted(text=words, entities=tuple(kept))


def commands(text: str) -> list[Entity]:
    """The bot_command entities that Telegram finds in a person's text."""
    return [
        {"type": "bot_command", "offset": width(text[: found.start()]), "length": width(found[0])}
        for found in _COMMAND.finditer(text)
    ]


def width(text: str) -> int:
    """The length of `text` in UTF-16 units."""
    return len(text) + sum(ord(character) > 0xFFFF for character in text)


def to_html(text: str, entities: Iterable[Entity]) -> str:
    """Render a text for a page: everything escaped, only Telegram's own tags, safe to insert."""
    units = text.encode("utf-16-le")
    ordered = sorted(entities, key=lambda entity: (entity["offset"], -entity["length"]))
    edges = {0, len(units) // 2}
    edges.update(edge for entity in ordered for edge in (entity["offset"], _end(entity)))
    out: list[str] = []
    opened: list[Entity] = []
    places = sorted(edges)
    for here, there in zip(places, [*places[1:], places[-1]], strict=True):
        out.extend(_close(opened, here))
        for entity in ordered:
            if entity["offset"] == here and entity["length"] > 0:
                out.append(_tags(entity)[0])
                opened.append(entity)
        out.append(html.escape(units[here * 2 : there * 2].decode("utf-16-le", "replace")))
    return "".join(out)


def _close(opened: list[Entity], here: int) -> Iterator[str]:
    # An entity that ends inside a later one takes it down with it; the later one is opened again after.
    reopened: list[Entity] = []
    while any(_end(entity) <= here for entity in opened):
        entity = opened.pop()
        yield _tags(entity)[1]
        if _end(entity) > here:
            reopened.insert(0, entity)
    for entity in reopened:
        yield _tags(entity)[0]
        opened.append(entity)


def _end(entity: Entity) -> int:
    return int(entity["offset"]) + int(entity["length"])


def _tags(entity: Entity) -> tuple[str, str]:
    kind = entity["type"]
    if kind == "text_link" and is_link(entity["url"]):
        return f'<a href="{html.escape(entity["url"])}">', "</a>"
    if kind == "text_mention":
        return f'<a href="tg://user?id={html.escape(str(entity["user"].get("id")))}">', "</a>"
    if kind == "expandable_blockquote":
        return "<blockquote expandable>", "</blockquote>"
    tag = _TAGS.get(kind)
    return (f"<{tag}>", f"</{tag}>") if tag else ("", "")


def is_link(url: str) -> bool:
    """Whether a text may link to `url`: only the schemes that Telegram's own formatting leads to."""
    return re.match(r"(?i)(https?|tg|mailto|tel):", url) is not None
