"""A form as a list of answered fields, and how any tree of answers becomes one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from agent.jsontext import JsonObject
from bot.hooks.bodies import embedded
from bot.hooks.labels import Role, role_of, shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One answer: its label for people, its text, and what it is for."""

    label: str
    text: str
    role: Role


@dataclass(slots=True, kw_only=True)
class Form:
    """All answers of one submission, with what tells a redelivery and a product's test."""

    fields: list[Field] = field(default_factory=list)
    provider_id: str | None = None
    ping: bool = False


# Keys that only hold the answers, in the words of many products.
_WRAPPERS = re.compile(
    r"|data|payload|fields?|answers?|values?|body|submission|contacts?|lead|client|customer|person|form_?data|"
    r"form_?response|form|response|raw_?request|inputs?|params|result",
    re.IGNORECASE,
)
_HOLDS_JSON = re.compile(r"data|payload|payment|fields|answers|json|body|raw_?request", re.IGNORECASE)
_ABOUT_THE_SITE = re.compile(
    r"meta(?:data)?|utms?|utm_.*|tracking|cookies|headers|consent|context|hidden|page"
)
# A form's own id and name beside its answers.
_ABOUT_THE_FORM = {"id", "name", "title", "slug", "url", "type", "version"}
_LABELS = ("title", "label", "question", "column_name", "name", "field", "key", "column_id", "id")
_VALUES = ("value", "answer", "string_value")
# Whatever else products say of a field: for machines, and of which the value is made.
_FOR_MACHINES = {
    *("type", "required", "raw_value", "value_raw", "unix", "ref", "uid", "options", "order", "placeholder"),
    *("field_type", "format", "amount_raw"),
}
_MADE_OF = ("first", "middle", "last", "date", "time", "amount", "currency")
_DESCRIBING = {*_LABELS, *_VALUES, *_FOR_MACHINES, *_MADE_OF}
_TYPES = {
    **dict.fromkeys(("tel", "phone", "phone_number", "input_phone_number", "phonenumber"), Role.PHONE),
    **dict.fromkeys(("email", "e-mail", "input_email", "emailaddress"), Role.EMAIL),
    **dict.fromkeys(("honeypot", "acceptance", "recaptcha", "gdpr-checkbox", "hidden_fields"), Role.META),
}
# Jotform, WPForms, Formstack and others ask for one thing in several boxes: a name, a phone.
_PARTS = (("prefix", "first", "middle", "last", "suffix"), ("full", "country", "area", "phone", "number"))
_DATA_URL = re.compile(r"data:(?P<type>[\w.+/-]+);base64,", re.IGNORECASE)


def field_of(key: str, label: str | None, text: str, kind: str = "") -> Field:
    """A field; its role is told by the product's type for it, else by its label and key."""
    label = (label or "").strip() or shown(key)
    role = _TYPES.get(kind.lower()) or role_of(key, label)
    return Field(label=label, text=text.strip(), role=role)


def text_of(value: Any) -> str:
    """One line for an answer of several parts."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case list():
            return ", ".join(filter(None, map(text_of, value)))
        case dict():
            if (whole := _whole(value)) is not None:
                return text_of(whole)
            parts = ((shown(key), text_of(item)) for key, item in value.items())
            return ", ".join(f"{key}: {text}" if key else text for key, text in parts if text)
    text = str(value).strip()
    return match["type"] if (match := _DATA_URL.match(text)) else text


def fields_of(tree: JsonObject) -> list[Field]:
    """Every answer of a tree of any shape."""
    return list(_fields(tree, ()))


def _fields(value: Any, path: tuple[str, ...]) -> Iterator[Field]:
    match value:
        case dict():
            for key, item in value.items():
                yield from _field(key.strip(), item, path)
        case list():
            for item in value:
                yield from _described(item, path)


def _field(key: str, value: Any, path: tuple[str, ...]) -> Iterator[Field]:
    if isinstance(value, str) and _HOLDS_JSON.fullmatch(key):
        value = embedded(value)
    below = (*path, key)
    if isinstance(value, dict) and _is_meta(key, value):
        yield from _meta(key, value)
    elif isinstance(value, dict) and (described := _description(value)):
        yield from _nonempty(field_of(key, *described, _type(value)))
        yield from _fields(_beyond(value), path)
    elif _has_fields(value):
        yield from _together(key, value, list(_fields(value, below)))
    else:
        yield from _nonempty(_placed(key, path, text_of(value)))


def _together(key: str, value: Any, fields: list[Field]) -> list[Field]:
    """One answer for what was asked for in several boxes (a date, an address), if all of it is that."""
    if (
        isinstance(value, list)
        or _WRAPPERS.fullmatch(key)
        or any(each.role is not Role.ANSWER for each in fields)
    ):
        return fields
    return [Field(label=shown(key), text=text_of(value), role=Role.ANSWER)] if fields else []


def _has_fields(value: Any) -> bool:
    match value:
        case dict():
            return _whole(value) is None
        case list():
            return any(isinstance(item, dict) for item in value)
    return False


def _described(item: Any, path: tuple[str, ...]) -> Iterator[Field]:
    """An element of a list: a field with its label inside, or more of the answer above."""
    if isinstance(item, dict) and (label := _told(item)) and item.keys() & {*_VALUES}:
        key = next((item[key] for key in ("column_id", "key", "id", "name") if item.get(key)), "")
        yield from _nonempty(field_of(str(key), label, _value(item), _type(item)))
        yield from _fields(_beyond(item), path)
    elif isinstance(item, dict) and _whole(item) is None:
        yield from _fields(item, path)
    else:
        yield from _nonempty(_placed(path[-1] if path else "", path[:-1], text_of(item)))


def _placed(key: str, path: tuple[str, ...], text: str) -> Field:
    """A field of its own place: what stands around `name` says whose name it is."""
    around = [shown(part) for part in path if not _WRAPPERS.fullmatch(part) and not part.isdigit()]
    label = " ".join([*around, shown(key)]).strip()
    role = role_of(key, label) if around else role_of(key, key)
    return Field(label=key if role is Role.META and not around else label, text=text, role=role)


def _nonempty(found: Field) -> Iterator[Field]:
    if found.text:
        yield found


def _is_meta(key: str, value: JsonObject) -> bool:
    if key.lower() == "form":
        return value.keys() <= _ABOUT_THE_FORM
    return _ABOUT_THE_SITE.fullmatch(key.lower()) is not None


def _meta(about: str, values: JsonObject) -> Iterator[Field]:
    for key, value in values.items():
        role = Role.PAGE if role_of(key, key) is Role.PAGE else Role.META
        yield from _nonempty(Field(label=f"{about} {shown(key)}", text=text_of(value), role=role))


def _description(node: JsonObject) -> tuple[str | None, str] | None:
    """The label and text of a field that a product describes beside it, as Elementor and WPForms do."""
    typed = bool(node.keys() & {"id", "type"})
    if "value" not in node or not (typed or node.keys() <= _DESCRIBING - {"name"}):
        return None
    label = next((node[key] for key in ("title", "label", "name") if node.get(key)), None)
    return (label if isinstance(label, str) else None), _value(node)


def _told(node: JsonObject) -> str | None:
    """The label in a description of a field; None for any other object."""
    label = next((node[key] for key in _LABELS if node.get(key)), None)
    return label if isinstance(label, str) else None


def _beyond(node: JsonObject) -> JsonObject:
    """What a description holds that is none: kept, whatever it is."""
    return {key: item for key, item in node.items() if key not in _DESCRIBING}


def _value(node: JsonObject) -> str:
    """The value with those of its parts that are not in it."""
    text = text_of(next((node[key] for key in _VALUES if key in node), None))
    parts = (text_of(node.get(key)) for key in _MADE_OF)
    return ", ".join(filter(None, [text, *(part for part in parts if part not in text)]))


def _whole(node: JsonObject) -> str | None:
    """One text for what was asked for in several boxes, or for a file; None for any other object."""
    if "filename" in node and node.keys() <= {"filename", "content", "type", "size"}:
        return text_of(node["filename"])
    for parts in _PARTS:
        if node and node.keys() <= set(parts):
            return " ".join(filter(None, (text_of(node.get(part)) for part in parts)))
    return None


def _type(node: JsonObject) -> str:
    kind = node.get("type") or node.get("field_type")
    return kind if isinstance(kind, str) else ""
