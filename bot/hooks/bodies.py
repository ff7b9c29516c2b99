"""From bytes to a tree of answers, whatever the sender calls them.

The declared content type is a hint only: CF7 sends JSON as text/plain, scripts send it as a form, and some
senders say nothing.  A tree is JSON: numbers are kept as they were written, repeated keys become a list, and
the keys of a form (`fields[name][value]`) are nested as PHP nests them.
"""

import json
import re
from collections.abc import Iterable
from email.message import Message
from io import BytesIO
from typing import Any
from urllib.parse import unquote_to_bytes

from python_multipart import parse_form
from python_multipart.multipart import Field, File

from agent.jsontext import JsonObject, clean

BytePairs = list[tuple[bytes, bytes]]

# More than any form holds; Typeform sends its questions and their choices along.
_MOST_VALUES = 10_000
# Levels of a form's keys; whatever is nested deeper stays one key.
_DEEPEST = 8
_NESTED_KEY = re.compile(r"(?P<head>[^\[\]]+)(?P<rest>(?:\[[^\[\]]*\])+)")
_FORM = re.compile(rb"[^\s=&]+=\S*")
_FORM_TYPE = "application/x-www-form-urlencoded"
# Encodings of text; Python's codecs have others (idna), which fail on what is no domain.
_CHARSET = re.compile(r"utf|iso|windows|cp\d|koi8|latin|mac|gb|big5|euc|shift|us-ascii")
# The old encoding of Russian sites.
_LEGACY = "cp1251"


class Unreadable(Exception):
    """The body is no form; `text` is what it says."""

    def __init__(self, text: str) -> None:
        super().__init__("the body is neither JSON nor a form")
        self.text = text


def tree_of(content_type: str | None, body: bytes) -> JsonObject:
    """The answers as a tree; Unreadable, with the text, for anything but JSON, a form or multipart."""
    declared = Message()
    declared["content-type"] = _header(content_type)
    charset = declared.get_content_charset()
    if charset is not None and not _CHARSET.match(charset):
        charset = None
    encoding = _encoding(body, json.detect_encoding(body), charset)
    text = body.decode(encoding, errors="replace")
    try:
        tree = _json(text)
        if tree is None:
            pairs = _parts(body)
            if pairs is None:
                pairs = _pairs(text.encode(errors="replace"), declared.get_content_type() == _FORM_TYPE)
            tree = _nested(_decoded(pairs, charset))
        return _cleaned(tree)
    except (ValueError, RecursionError) as error:
        raise Unreadable(str(clean(text)).strip()) from error


def embedded(value: Any) -> Any:
    """The tree inside a text that holds one; any other value as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        return tree_of(None, value.encode())
    except Unreadable:
        return value


def _header(value: str | None) -> str:
    return re.sub(r"[^\x20-\x7e]", "", value or "")


def _encoding(data: bytes, *candidates: str | None) -> str:
    """The first encoding the bytes are whole in; else UTF-8 with a fault, or the legacy of Russian sites."""
    for candidate in candidates:
        try:
            data.decode(candidate or "ascii")
        except (ValueError, LookupError):
            continue
        return candidate or "ascii"
    text = data.decode(errors="replace")
    # Among other letters a fault is a text that was cut; where all is faults the encoding is another one.
    foreign = sum(not character.isascii() for character in text)
    return _LEGACY if 2 * text.count("\ufffd") > foreign else "utf-8"


def _values(tree: Any) -> int:
    match tree:
        case dict():
            return sum(map(_values, tree.values()))
        case list():
            return sum(map(_values, tree))
    return 1


def _cleaned(tree: JsonObject) -> JsonObject:
    if _values(tree) > _MOST_VALUES:
        raise ValueError("too many values")
    cleaned: JsonObject = clean(tree)
    return cleaned


def _json(text: str) -> JsonObject | None:
    """A JSON object, or a list under an empty key; None where it does not begin like one.

    ValueError if it is broken.  `strict=False` allows the line breaks that templates leave in a text.
    """
    text = text.strip().removeprefix("\ufeff")
    if text[:1] not in ("{", "[", '"'):
        return None
    value = json.loads(
        text, strict=False, object_pairs_hook=_object, parse_int=str, parse_float=_number, parse_constant=str
    )
    if isinstance(value, str):
        return _json(value)
    return value if isinstance(value, dict) else {"": value}


def _object(pairs: Iterable[tuple[str, Any]]) -> JsonObject:
    tree: JsonObject = {}
    for key, value in pairs:
        tree[key] = _joined(tree[key], value) if key in tree else value
    return tree


def _number(written: str) -> str:
    return written.removesuffix(".0")  # a phone that has been through a spreadsheet


def _joined(earlier: Any, value: Any) -> Any:
    if isinstance(earlier, list):
        earlier.append(value)
        return earlier
    return earlier if value == earlier else [earlier, value]


def _parts(body: bytes) -> BytePairs | None:
    """The parts of a multipart body, told by its first line; None for another body, ValueError if broken.

    A file stands for its name: what is in it is no text of the person.
    """
    boundary, _, _ = body.lstrip().partition(b"\n")
    boundary = boundary.strip()
    if not boundary.startswith(b"--") or b"form-data" not in body:
        return None
    if not body.rstrip().endswith(boundary + b"--"):
        raise ValueError("the end is missing")
    if b"\r\n" not in body:
        body = body.replace(b"\n", b"\r\n")
    pairs: BytePairs = []

    def add_field(field: Field) -> None:
        pairs.append((field.field_name or b"", field.value or b""))

    def add_file(file: File) -> None:
        pairs.append((file.field_name or b"", file.file_name or b""))
        file.close()

    content_type = b'multipart/form-data; boundary="%b"' % boundary[2:]
    parse_form({"Content-Type": content_type}, BytesIO(body.lstrip()), add_field, add_file)
    return pairs


def _pairs(body: bytes, declared: bool) -> BytePairs:
    body = body.strip()
    if b"=" not in body or not (declared or _FORM.fullmatch(body)):
        raise ValueError("not a form")
    if body.count(b"&") > _MOST_VALUES:
        raise ValueError("too many values")
    pairs = (part.partition(b"=") for part in body.replace(b"+", b" ").split(b"&") if part)
    return [(unquote_to_bytes(key), unquote_to_bytes(value)) for key, _, value in pairs]


def _decoded(pairs: BytePairs, charset: str | None) -> Iterable[tuple[str, str]]:
    encoding = _encoding(b"\n".join(part for pair in pairs for part in pair), "utf-8", charset)
    for key, value in pairs:
        yield key.decode(encoding, errors="replace"), value.decode(encoding, errors="replace")


def _nested(pairs: Iterable[tuple[str, str]]) -> JsonObject:
    tree: JsonObject = {}
    for key, value in pairs:
        match = _NESTED_KEY.fullmatch(key)
        path = [match["head"], *re.findall(r"\[([^\[\]]*)\]", match["rest"])] if match else [key]
        _put(tree, path if len(path) <= _DEEPEST else [key], value)
    return tree


def _put(tree: JsonObject, path: list[str], value: str) -> None:
    key, *rest = path
    if not rest or rest == [""]:
        tree[key] = _joined(tree[key], value) if key in tree else value
        return
    below = tree.setdefault(key, {})
    if not isinstance(below, dict):
        below = tree[key] = {"": below}
    _put(below, rest, value)
