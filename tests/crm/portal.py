"""A portal of Bitrix24 on this machine: the methods that are used, in the published shapes, over real HTTP.

What it takes is checked as there: parameters in lower case, fields it knows; numbers are found whatever their
spelling; ids come back as texts from lists and as numbers from additions.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from agent.jsontext import JsonObject
from bot.sandbox.server import reset, serve

CODE = "s3cr3tc0de"
TIME = {
    "start": 1.0,
    "finish": 1.1,
    "duration": 0.1,
    "processing": 0.1,
    "operating_reset_at": 1,
    "operating": 0,
}
CONTACT_FIELDS = {"NAME", "LAST_NAME", "PHONE", "EMAIL", "IM", "ORIGINATOR_ID", "ORIGIN_ID"}
DEAL_FIELDS = {"TITLE", "STAGE_ID", "CATEGORY_ID", "CONTACT_IDS", "COMMENTS", "ORIGINATOR_ID", "ORIGIN_ID"}
STAGES = {
    "DEAL_STAGE": ["NEW", "PREPARATION", "PREPAYMENT_INVOICE", "EXECUTING", "FINAL_INVOICE", "WON", "LOSE"],
    "DEAL_STAGE_1": ["C1:NEW", "C1:EXECUTING", "C1:WON", "C1:LOSE"],
}


class Trouble(StrEnum):
    """What befalls one call."""

    LIMIT = "limit"
    TIME_LIMIT = "time limit"
    INTERNAL = "internal"
    HTML = "html"
    HTML_200 = "html with 200"
    ERROR_200 = "error with 200"
    REFUSED = "refused"
    LOST = "done, and the answer lost"
    CUT = "not done, and no answer"
    SILENT = "done, and no answer in time"
    STRANGE = "done, and an answer of another shape"


ERRORS: Mapping[Trouble, tuple[int, str, str]] = {
    Trouble.LIMIT: (503, "QUERY_LIMIT_EXCEEDED", "Too many requests"),
    Trouble.TIME_LIMIT: (429, "OPERATION_TIME_LIMIT", "Method is blocked due to operation time limit"),
    Trouble.INTERNAL: (500, "INTERNAL_SERVER_ERROR", "Internal server error"),
    Trouble.ERROR_200: (200, "INTERNAL_SERVER_ERROR", "Internal server error"),
    Trouble.REFUSED: (400, "", "Поле «E-mail» содержит неверный адрес"),
}


@dataclass(kw_only=True)
class Portal:
    """`troubles` befall the coming calls, one each; `closed` is said to every one."""

    contacts: dict[int, JsonObject] = field(default_factory=dict)
    deals: dict[int, JsonObject] = field(default_factory=dict)
    comments: list[JsonObject] = field(default_factory=list)
    troubles: deque[tuple[str, Trouble]] = field(default_factory=deque)
    closed: tuple[int, str] | None = None
    calls: list[tuple[str, JsonObject]] = field(default_factory=list)
    url: str = ""
    _ids: int = 0
    _server: AsyncExitStack | None = None

    def __post_init__(self) -> None:
        self._came = asyncio.Condition()

    # --- the server

    async def open(self) -> None:
        """On the port that it had, if it had one."""
        app = Starlette(routes=[Route("/rest/1/{code}/{method}.json", self._take, methods=["POST"])])
        port = int(self.url.split(":")[2].split("/")[0]) if self.url else 0
        self._server = AsyncExitStack()
        root = await self._server.enter_async_context(serve(app, port=port))
        self.url = f"{root}/rest/1/{CODE}/"

    async def close(self) -> None:
        if self._server is not None:
            server, self._server = self._server, None
            await server.aclose()

    async def _take(self, request: Request) -> Response:
        method, parameters = request.path_params["method"], json.loads(await request.body())
        assert all(name.islower() or name == "ENTITY_ID" for name in parameters), parameters
        self.calls.append((method, parameters))
        response = await self._answer(request, method, parameters)
        async with self._came:
            self._came.notify_all()
        return response

    async def _answer(self, request: Request, method: str, parameters: JsonObject) -> Response:
        if request.path_params["code"] != CODE:
            return _error(401, "INVALID_CREDENTIALS", "Invalid request credentials")
        if self.closed:
            return _error(*self.closed, "In the language of the portal")
        match self._trouble(method):
            case Trouble.HTML:
                return HTMLResponse("<html>502 Bad Gateway</html>", status_code=502)
            case Trouble.HTML_200:
                return HTMLResponse("<html>Maintenance</html>")
            case Trouble.CUT:
                return await reset(request)
            case Trouble.SILENT:
                self._do(method, parameters)
                while (await request.receive())["type"] != "http.disconnect":
                    pass
                return Response()
            case Trouble.LOST:
                self._do(method, parameters)
                return await reset(request)
            case Trouble.STRANGE:
                self._do(method, parameters)
                return JSONResponse({"result": {"unexpected": "shape"}})
            case None:
                return self._do(method, parameters)
            case trouble:
                return _error(*ERRORS[trouble])

    def _trouble(self, method: str) -> Trouble | None:
        if self.troubles and method.endswith(self.troubles[0][0]):
            return self.troubles.popleft()[1]
        return None

    # --- the methods

    def _do(self, method: str, parameters: JsonObject) -> Response:
        methods: Mapping[str, Callable[..., Any]] = {
            "crm.contact.list": self._contact_list,
            "crm.contact.add": self._contact_add,
            "crm.contact.update": self._contact_update,
            "crm.duplicate.findbycomm": self._find,
            "crm.deal.list": self._deal_list,
            "crm.deal.add": self._deal_add,
            "crm.deal.update": self._deal_update,
            "crm.timeline.comment.list": self._comment_list,
            "crm.timeline.comment.add": self._comment_add,
            "crm.status.list": self._status_list,
        }
        if method not in methods:
            return _error(404, "ERROR_METHOD_NOT_FOUND", "Method not found!")
        try:
            result = methods[method](**parameters)
        except KeyError:
            return _error(400, "", "Not found")
        return JSONResponse({"result": result, "time": TIME})

    def _contact_list(self, filter: JsonObject, select: list[str], order: JsonObject) -> list[JsonObject]:
        return _listed(self.contacts, filter, select)

    def _contact_add(self, fields: JsonObject) -> int:
        assert set(fields) <= CONTACT_FIELDS, fields
        id = self._next()
        self.contacts[id] = {**fields, "PHONE": [], "EMAIL": []}
        self._contact_update(id, {field: fields.get(field, []) for field in ("PHONE", "EMAIL")})
        return id

    def _contact_update(self, id: int | str, fields: JsonObject) -> bool:
        contact = self.contacts[int(id)]
        assert fields
        assert set(fields) <= CONTACT_FIELDS, fields
        for name, value in fields.items():
            if name in ("PHONE", "EMAIL"):
                contact[name] += [{"ID": str(self._next()), "TYPE_ID": name, **item} for item in value]
            else:
                contact[name] = value
        return True

    def _find(self, type: str, values: list[str], entity_type: str) -> JsonObject | list[Any]:
        assert entity_type == "CONTACT"
        assert len(values) <= 20
        wanted = {_bare(value) for value in values}
        found = [
            id
            for id, contact in self.contacts.items()
            if any(_bare(item["VALUE"]) in wanted for item in contact[type])
        ]
        return {"CONTACT": found} if found else []

    def _deal_list(self, filter: JsonObject, select: list[str], order: JsonObject) -> list[JsonObject]:
        return _listed(self.deals, filter, select)

    def _deal_add(self, fields: JsonObject) -> int:
        id = self._next()
        self.deals[id] = {}
        self._deal_update(id, fields)
        return id

    def _deal_update(self, id: int | str, fields: JsonObject) -> bool:
        deal = self.deals[int(id)]
        assert fields
        assert set(fields) <= DEAL_FIELDS, fields
        assert all(int(contact) in self.contacts for contact in fields.get("CONTACT_IDS", []))
        deal.update(fields)
        return True

    def _comment_list(self, filter: JsonObject, select: list[str], order: JsonObject) -> list[JsonObject]:
        assert order == {"ID": "DESC"}
        of = {"ENTITY_ID": str(filter["ENTITY_ID"]), "ENTITY_TYPE": filter["ENTITY_TYPE"]}
        return [comment for comment in reversed(self.comments) if comment.items() >= of.items()][:50]

    def _comment_add(self, fields: JsonObject) -> int:
        assert fields["ENTITY_TYPE"] == "deal"
        assert int(fields["ENTITY_ID"]) in self.deals
        id = self._next()
        self.comments.append({"ID": str(id), "FILES": {}, **fields, "ENTITY_ID": str(fields["ENTITY_ID"])})
        return id

    def _status_list(self, filter: JsonObject) -> list[JsonObject]:
        return [
            {"STATUS_ID": stage, "ENTITY_ID": filter["ENTITY_ID"]} for stage in STAGES[filter["ENTITY_ID"]]
        ]

    def _next(self) -> int:
        self._ids += 1
        return self._ids

    # --- looking

    def named(self, method: str) -> list[JsonObject]:
        """The parameters of all calls of a method."""
        return [parameters for name, parameters in self.calls if name == method]

    @property
    def deal(self) -> JsonObject:
        (only,) = self.deals.values()
        return only

    @property
    def contact(self) -> JsonObject:
        (only,) = self.contacts.values()
        return only

    async def until(self, predicate: Callable[[Portal], Any], what: str = "", seconds: float = 30.0) -> None:
        """Wait until what was called makes `predicate` true."""
        try:
            async with asyncio.timeout(seconds), self._came:
                await self._came.wait_for(lambda: predicate(self))
        except TimeoutError:
            raise AssertionError(f"not within {seconds} s: {what}; last {self.calls[-3:]}") from None


def _listed(rows: Mapping[int, JsonObject], filter: JsonObject, select: list[str]) -> list[JsonObject]:
    wanted = {name.lstrip("="): str(value) for name, value in filter.items()}
    found = [{**row, "ID": str(id)} for id, row in sorted(rows.items())]
    matching = [row for row in found if all(str(row.get(name)) == value for name, value in wanted.items())]
    return [{name: row.get(name) for name in select} for row in matching]


def _bare(value: str) -> str:
    if "@" in value:
        return value.casefold()
    digits = "".join(filter(str.isdecimal, value))
    return f"7{digits[1:]}" if len(digits) == 11 and digits.startswith("8") else digits


def _error(status: int, code: str, words: str) -> Response:
    return JSONResponse({"error": code, "error_description": words}, status_code=status)


@asynccontextmanager
async def open_portal() -> AsyncIterator[Portal]:
    portal = Portal()
    await portal.open()
    try:
        yield portal
    finally:
        await portal.close()
