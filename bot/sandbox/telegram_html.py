"""Telegram's HTML, as the parse mode of that name reads it.

The rules are those of tdlib, on which Telegram's server stands: tags nest strictly, an unknown tag is an
error, an unknown character reference is plain text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from bot.sandbox.entities import Entity, Formatted, clean, is_link, trimmed, width

_TYPES: Final = {
    "b": "bold",
    "strong": "bold",
    "i": "italic",
    "em": "italic",
    "u": "underline",
    "ins": "underline",
    "s": "strikethrough",
    "strike": "strikethrough",
    "del": "strikethrough",
    "tg-spoiler": "spoiler",
    "span": "spoiler",
    "code": "code",
    "pre": "pre",
    "blockquote": "blockquote",
    "a": "text_link",
    "tg-emoji": "custom_emoji",
    "tg-time": "date_time",
}
_REFERENCES: Final = {"lt": "<", "gt": ">", "amp": "&", "quot": '"'}
_LONGEST_REFERENCE = 9
_MARKUP = re.compile(r"&(?:#x(?P<hex>[0-9a-fA-F]+)|#(?P<dec>[0-9]+)|(?P<name>[a-zA-Z]+));?|<")
_TAG_NAME = re.compile(r"[^\s>]*")
_ATTRIBUTE = re.compile(
    r"""\s*([^\s=>]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([\w.-]+)(?=[\s>])))?\s*""", re.ASCII
)
_MENTION = re.compile(r"tg://user\?id=(\d+)")


class BadHtmlError(ValueError):
    """HTML that Telegram refuses; the message is Telegram's, without its "can't parse entities: "."""


def parse_html(source: str) -> Formatted:
    """Read Telegram's HTML; raise BadHtmlError where Telegram would refuse it."""
    parser = _Parser(clean(source))
    parser.run()
    return trimmed("".join(parser.words), parser.entities)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Open:
    tag: str
    argument: str
    offset: int


class _Parser:
    """One pass over the source; byte offsets in errors count UTF-8, as Telegram's do."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.words: list[str] = []
        self.entities: list[Entity] = []
        self._offset = 0
        self._stack: list[_Open] = []

    def run(self) -> None:
        place = 0
        while found := _MARKUP.search(self.source, place):
            self._add(self.source[place : found.start()])
            if found[0] == "<":
                place = self._tag(found.start())
            else:
                self._add(clean(_reference(found)))
                place = found.end()
        self._add(self.source[place:])
        if self._stack:
            raise BadHtmlError(f'Can\'t find end tag corresponding to start tag "{self._stack[-1].tag}"')

    def _add(self, words: str) -> None:
        self.words.append(words)
        self._offset += width(words)

    def _byte(self, place: int) -> int:
        return len(self.source[:place].encode())

    def _tag(self, start: int) -> int:
        if self.source.startswith("/", start + 1):
            return self._end_tag(start)
        name = _name(self.source, start + 1)
        place = start + 1 + len(name)
        if place >= len(self.source):
            raise BadHtmlError(f"Unclosed start tag at byte offset {self._byte(start)}")
        tag = name.lower()
        if tag not in _TYPES:
            raise BadHtmlError(f'Unsupported start tag "{tag}" at byte offset {self._byte(start)}')
        argument = ""
        while not self.source.startswith(">", place):
            found = _ATTRIBUTE.match(self.source, place)
            if found is None or found.end() >= len(self.source):
                raise BadHtmlError(f"Unclosed start tag at byte offset {self._byte(start)}")
            argument = _argument(tag, found) or argument
            place = found.end()
        if tag == "span" and argument != "spoiler":
            raise BadHtmlError(f'Tag "span" must have class "tg-spoiler" at byte offset {self._byte(start)}')
        self._stack.append(_Open(tag=tag, argument=argument, offset=self._offset))
        return place + 1

    def _end_tag(self, start: int) -> int:
        if not self._stack:
            raise BadHtmlError(f"Unexpected end tag at byte offset {self._byte(start)}")
        name = _name(self.source, start + 2)
        place = start + 2 + len(name)
        while self.source[place : place + 1].isspace():
            place += 1
        if not self.source.startswith(">", place):
            raise BadHtmlError(f"Unclosed end tag at byte offset {self._byte(start)}")
        opened = self._stack.pop()
        if name and name.lower() != opened.tag:
            raise BadHtmlError(
                f"Unmatched end tag at byte offset {self._byte(start)}, "
                f'expected "</{opened.tag}>", found "</{name.lower()}>"'
            )
        self._finish(opened)
        return place + 1

    def _finish(self, opened: _Open) -> None:
        length = self._offset - opened.offset
        if length == 0:
            return
        entity: Entity = {"type": _TYPES[opened.tag], "offset": opened.offset, "length": length}
        match opened.tag:
            case "a" if mention := _MENTION.fullmatch(opened.argument):
                user = {"id": int(mention[1]), "is_bot": False, "first_name": ""}
                entity |= {"type": "text_mention", "user": user}
            case "a":
                if not is_link(opened.argument):
                    return
                entity["url"] = opened.argument
            case "blockquote" if opened.argument:
                entity["type"] = "expandable_blockquote"
            case "tg-emoji":
                entity["custom_emoji_id"] = opened.argument
            case "pre":
                self._take_language(entity)
            case "code" if opened.argument and self._stack and self._stack[-1].tag == "pre":
                entity["language"] = opened.argument
        self.entities.append(entity)

    def _take_language(self, pre: Entity) -> None:
        # <pre><code class="language-x"> is one block; a code that fills only a part of it stays a plain code.
        place = pre["offset"], pre["length"]
        for code in [entity for entity in self.entities if "language" in entity and entity["type"] == "code"]:
            language = code.pop("language")
            if (code["offset"], code["length"]) == place:
                pre["language"] = language
                self.entities.remove(code)


def _name(source: str, place: int) -> str:
    found = _TAG_NAME.match(source, place)
    return found[0] if found else ""


def _reference(found: re.Match[str]) -> str:
    if found["name"]:
        # Only these four: `&nbsp;` and its kind stay as they are written.
        return _REFERENCES.get(found["name"], found[0])
    code = int(found["hex"], 16) if found["hex"] else int(found["dec"])
    is_character = 0 < code < 0x10FFFF and not 0xD800 <= code <= 0xDFFF
    return chr(code) if is_character and len(found[0].rstrip(";")) <= _LONGEST_REFERENCE else found[0]


def _argument(tag: str, found: re.Match[str]) -> str:
    name = found[1].lower()
    value = next((group for group in found.groups()[1:] if group is not None), None)
    if value is None:
        return "1" if (tag, name) == ("blockquote", "expandable") else ""
    value = _MARKUP.sub(lambda one: one[0] if one[0] == "<" else _reference(one), value)
    match tag, name:
        case ("a", "href") | ("tg-emoji", "emoji-id") | ("tg-time", "unix"):
            return value
        case "blockquote", "expandable":
            return "1"
        case "code", "class" if value.startswith("language-"):
            return value.removeprefix("language-")
        case "span", "class" if value.startswith("tg-"):
            return value.removeprefix("tg-")
        case _:
            return ""
