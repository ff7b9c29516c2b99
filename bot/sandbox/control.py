"""The sandbox's own endpoints: what the page shows, what people do on it, and faults on demand.

They are for this machine only. A page of another origin, or one whose name was rebound to 127.0.0.1, could
otherwise press buttons here; so every request must name a loopback host, and an Origin must be that host.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from bot.sandbox.chats import Chat, Json, User
from bot.sandbox.faults import Fault
from bot.sandbox.floods import FloodLimits
from bot.sandbox.media import MediaKind
from bot.sandbox.server import LOOPBACK
from bot.sandbox.state import view
from bot.sandbox.world import World

Action: TypeAlias = Callable[[World, Json], Json]

PAGE: Final = Path(__file__).parent / "page"
_KEEP_ALIVE_SECONDS: Final = 15.0
# What a body that nobody expected may raise: 1e400 is no whole number, and JSON can be nested too deeply.
UNEXPECTED: Final = (KeyError, TypeError, ValueError, OverflowError, RecursionError)


def control_routes(world: World) -> list[BaseRoute]:
    """The routes under /sandbox, and the page where it is there."""

    def get(path: str, endpoint: Callable[[World, Request], Awaitable[Response]]) -> Route:
        async def guarded(request: Request) -> Response:
            check_origin(request.headers)
            return await endpoint(world, request)

        return Route(path, guarded, methods=["GET"])

    def act(path: str, action: Action, method: str = "POST") -> Route:
        async def guarded(request: Request) -> Response:
            check_origin(request.headers)
            return await _act(world, request, action)

        return Route(path, guarded, methods=[method])

    routes: list[BaseRoute] = [
        get("/sandbox/state", _state),
        get("/sandbox/events", _events),
        get("/sandbox/files/{file_id}", _download),
        get("/sandbox/faults", _list_faults),
        act("/sandbox/faults", _add_fault),
        act("/sandbox/faults", _clear_faults, "DELETE"),
        act("/sandbox/floods", _floods),
        act("/sandbox/people", _people),
        act("/sandbox/say", _say),
        act("/sandbox/contact", _contact),
        act("/sandbox/media", _media),
        act("/sandbox/press", _press),
        act("/sandbox/block", _block),
    ]
    if (PAGE / "index.html").is_file():
        routes.append(Mount("/", StaticFiles(directory=PAGE, html=True)))
    return routes


def is_local(headers: Headers) -> bool:
    """Whether the request names this machine: a name that a web page has rebound to it does not."""
    return _hostname(headers.get("host", "")) in LOOPBACK


def check_origin(headers: Headers) -> None:
    """Raise 403 unless the request comes from this machine's own page or a program on it."""
    host = headers.get("host", "")
    if not is_local(headers):
        raise HTTPException(403, "the sandbox answers on this machine only")
    origin = headers.get("origin")
    if origin is not None and origin != f"http://{host}":
        raise HTTPException(403, "the sandbox answers its own page only")


def _hostname(host: str) -> str | None:
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


async def _act(world: World, request: Request, action: Action) -> Response:
    try:
        body = json.loads(await request.body() or b"{}")
        if not isinstance(body, dict):
            raise TypeError("a JSON object is expected")
        return JSONResponse(action(world, body))
    except UNEXPECTED as error:
        reason = f"missing or unknown: {error}" if isinstance(error, KeyError) else str(error)
        return JSONResponse({"error": reason}, status_code=400)


async def _state(world: World, request: Request) -> Response:
    state = {
        "me": world.me.json(),
        "model": world.model,
        "operators": [_person(world, user) for user in world.operators()],
        "leads": [_person(world, user) for user in world.leads()],
        "group_id": world.group.id,
        "chats": {str(chat.id): _chat(chat) for chat in world.chats.values()},
        "journal": world.journal_lines,
        "inbox": world.inbox.items,
        "submissions": [submission.json() for submission in world.website.submissions],
    }
    return JSONResponse(state)


def _person(world: World, user: User) -> Json:
    return {"id": user.id, "name": user.name, "blocked": user.id in world.blocked}


def _chat(chat: Chat) -> Json:
    name = chat.user.name if chat.user else chat.title
    messages = [view(chat, message) for message in chat.messages.values()]
    return {"type": chat.type.value, "title": name, "messages": messages}


async def _events(world: World, request: Request) -> Response:
    headers = {"Cache-Control": "no-store"}
    return StreamingResponse(_stream(world), media_type="text/event-stream", headers=headers)


async def _stream(world: World) -> AsyncIterator[str]:
    with world.events.listening() as queue:
        yield ": listening\n\n"
        while True:
            try:
                event = await asyncio.wait_for(queue.get(), _KEEP_ALIVE_SECONDS)
            except TimeoutError:
                yield ": still here\n\n"
            else:
                yield f"data: {json.dumps(event, ensure_ascii=False)}\n\n"


async def _download(world: World, request: Request) -> Response:
    file = world.files.get(request.path_params["file_id"])
    if file is None:
        raise HTTPException(404)
    # Never as a type that a browser would show: what the bot uploads holds words of strangers.
    headers = {"X-Content-Type-Options": "nosniff", "Content-Disposition": "attachment"}
    return Response(file.content, media_type="application/octet-stream", headers=headers)


async def _list_faults(world: World, request: Request) -> Response:
    return JSONResponse([fault.json() for fault in world.faults.waiting()])


def _add_fault(world: World, body: Json) -> Json:
    fault = Fault.from_json(body)
    world.faults.add(fault)
    return fault.json()


def _clear_faults(world: World, body: Json) -> Json:
    world.faults.clear()
    return {}


def _floods(world: World, body: Json) -> Json:
    world.floods = FloodLimits() if body["on"] else None
    return {}


def _people(world: World, body: Json) -> Json:
    user = world.add_person(
        str(body["name"]),
        language_code=str(body.get("language_code") or "ru"),
        operator=bool(body.get("operator")),
    )
    return {"id": user.id}


def _say(world: World, body: Json) -> Json:
    chat_id, reply_to = body.get("chat_id"), body.get("reply_to")
    said = world.say(_user(world, body), str(body["text"]), chat_id=chat_id, reply_to=reply_to)
    return {"message_id": said}


def _contact(world: World, body: Json) -> Json:
    return {"message_id": world.share_contact(_user(world, body), str(body["phone"]))}


def _media(world: World, body: Json) -> Json:
    kind = MediaKind(body["kind"])
    return {"message_id": world.send_media(_user(world, body), kind, caption=body.get("caption"))}


def _press(world: World, body: Json) -> Json:
    chat_id, message_id, data = int(body["chat_id"]), int(body["message_id"]), str(body["data"])
    return {"callback_query_id": world.press(_user(world, body), chat_id, message_id, data)}


def _block(world: World, body: Json) -> Json:
    user = _user(world, body)
    (world.block if body["blocked"] else world.unblock)(user)
    return {}


def _user(world: World, body: Json) -> User:
    # The page may speak for someone whom this world, started anew, has not met.
    user_id = int(body["user_id"])
    if user := world.users.get(user_id):
        return user
    name, language = str(body.get("name") or "Guest"), str(body.get("language_code") or "ru")
    return world.add_person(name, user_id=user_id, language_code=language, stranger=True)
