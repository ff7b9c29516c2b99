"""A call's parameters: read from a request, checked against the method, handed over typed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import parse_qsl

from starlette.datastructures import UploadFile
from starlette.requests import Request

from bot.sandbox.chats import Json
from bot.sandbox.errors import bad_request
from bot.sandbox.methods import KINDS, METHODS, Kind

_INTEGER = re.compile(r"-?[0-9]+")
_TRUE: Final = {"true", "yes", "1"}


@dataclass(frozen=True, slots=True)
class Upload:
    """A file of a multipart body."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Params:
    """The parameters by name, of the kinds that `methods.KINDS` gives them; absent ones are None."""

    values: Json
    uploads: Mapping[str, Upload] = field(default_factory=dict)

    def string(self, name: str) -> str | None:
        value: str | None = self.values.get(name)
        return value

    def integer(self, name: str) -> int | None:
        value: int | None = self.values.get(name)
        return value

    def flag(self, name: str) -> bool:
        return bool(self.values.get(name))

    def object(self, name: str) -> Json | None:
        """A JSON object; `{}` counts as absent, as Telegram has it for keyboards."""
        value = self.values.get(name)
        if value is not None and not isinstance(value, dict):
            raise bad_request(f'parameter "{name}" must be an object')
        return value or None

    def array(self, name: str) -> list[Any] | None:
        value = self.values.get(name)
        if value is not None and not isinstance(value, list):
            raise bad_request(f'parameter "{name}" must be an array')
        return value

    @property
    def chat_id(self) -> int | str | None:
        value: int | str | None = self.values.get("chat_id")
        return value

    def upload(self, name: str) -> Upload | None:
        """The file given for `name`, in its own part or in one that it names by `attach://`."""
        attached = (self.string(name) or "").removeprefix("attach://")
        return self.uploads.get(name) or self.uploads.get(attached)


@dataclass(frozen=True, slots=True)
class RawCall:
    """The fields of a request before they are understood."""

    fields: Json
    uploads: Mapping[str, Upload]


async def read(request: Request) -> RawCall:
    """Read query string and body: form-urlencoded, multipart or JSON. Raises 400 for what can't be read."""
    try:
        fields: Json = dict(_pairs(request.scope["query_string"].decode()))
        media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if media_type == "multipart/form-data":
            return await _multipart(request, fields)
        body = (await request.body()).decode()
        if media_type == "application/json":
            decoded = json.loads(body or "{}")
            if not isinstance(decoded, dict):
                raise bad_request("can't parse request body: object expected")
            return RawCall(fields | decoded, {})
        return RawCall(fields | dict(_pairs(body)), {})
    except UnicodeDecodeError:
        raise bad_request("strings must be encoded in UTF-8") from None
    except json.JSONDecodeError:
        raise bad_request("can't parse request body as JSON") from None


def checked(method: str, raw: RawCall) -> Params:
    """The call's parameters; raises 400 for an unknown, a missing or an unreadable one."""
    known = METHODS[method]
    uploads = raw.uploads
    names = set(raw.fields) | {name for name in uploads if not _is_attachment(name, raw.fields)}
    if unknown := names - known.required - known.optional:
        raise bad_request(f'unknown parameter "{min(unknown)}" of {method}')
    values = {name: _value(name, value) for name, value in raw.fields.items() if value is not None}
    _check_encoding(values)
    for name in sorted(known.required):
        if values.get(name) in (None, "") and name not in uploads and name != "url":
            raise bad_request(_MISSING.get(name, f'parameter "{name}" is required'))
    return Params(values, uploads)


# What a parameter of each kind may be in a JSON body, where it need not be a string.
_JSON_TYPES: Final[dict[Kind, tuple[type, ...]]] = {
    Kind.INTEGER: (int,),
    Kind.BOOLEAN: (bool,),
    Kind.CHAT: (int,),
    Kind.JSON: (dict, list),
}
_MISSING: Final = {"chat_id": "chat_id is empty", "text": "message text is empty"}


def _pairs(source: str) -> list[tuple[str, str]]:
    return parse_qsl(source, keep_blank_values=True, errors="strict")


async def _multipart(request: Request, fields: Json) -> RawCall:
    uploads = {}
    async with request.form() as form:
        for name, value in form.multi_items():
            if isinstance(value, UploadFile):
                uploads[name] = Upload(value.filename or name, await value.read())
            else:
                fields[name] = value
    return RawCall(fields, uploads)


def _is_attachment(name: str, fields: Json) -> bool:
    reference = f"attach://{name}"
    return any(isinstance(value, str) and reference in value for value in fields.values())


def _value(name: str, value: Any) -> Any:
    kind = KINDS.get(name, Kind.STRING)
    if isinstance(value, str):
        return _from_text(name, kind, value)
    if type(value) not in _JSON_TYPES.get(kind, ()):
        raise bad_request(f'parameter "{name}" must be of type {kind.value}')
    return value


def _from_text(name: str, kind: Kind, text: str) -> Any:
    match kind:
        case Kind.STRING | Kind.FILE:
            return text
        case Kind.BOOLEAN:
            return text.lower() in _TRUE
        case Kind.INTEGER | Kind.CHAT if _INTEGER.fullmatch(text):
            return int(text)
        case Kind.CHAT:
            return text
        case Kind.INTEGER:
            raise bad_request(f'parameter "{name}" must be of type integer')
        case Kind.JSON:
            return _json(name, text)


def _json(name: str, text: str) -> Any:
    if not text:
        return None
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise bad_request(f"can't parse {name.replace('_', ' ')} JSON object") from None


def _check_encoding(values: Json) -> None:
    # JSON can spell half a surrogate pair, which is no character and has no UTF-8.
    try:
        json.dumps(values, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise bad_request("strings must be encoded in UTF-8") from None
