"""A Bot API server over HTTP, for one bot in a World.

It is strict where Telegram is lenient (an unknown parameter is refused) and says in Telegram's words what
Telegram refuses. Not modelled: Markdown, inline mode, business accounts, payments, method calls in the answer
to a webhook.
"""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from typing import Any, Final, TypeAlias

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from bot.sandbox import editing, posting, receiving, service
from bot.sandbox.access import known_chat
from bot.sandbox.control import control_routes, is_local
from bot.sandbox.errors import ApiError, forbidden
from bot.sandbox.faults import Fault, FaultKind
from bot.sandbox.floods import LIMITED_METHODS
from bot.sandbox.methods import METHODS_BY_LOWER_NAME
from bot.sandbox.outside import outside_routes
from bot.sandbox.params import Params, checked, read
from bot.sandbox.server import reset
from bot.sandbox.state import Call, Refusal, State
from bot.sandbox.world import World

Handler: TypeAlias = Callable[[State, Params], Any]

HANDLERS: Final[dict[str, Handler]] = {
    "getMe": service.get_me,
    "setWebhook": receiving.set_webhook,
    "deleteWebhook": receiving.delete_webhook,
    "getWebhookInfo": receiving.get_webhook_info,
    "sendMessage": posting.send_message,
    "sendDocument": posting.send_document,
    "sendPhoto": posting.send_photo,
    "copyMessage": posting.copy_message,
    "editMessageText": editing.edit_message_text,
    "editMessageCaption": editing.edit_message_caption,
    "editMessageReplyMarkup": editing.edit_message_reply_markup,
    "deleteMessage": editing.delete_message,
    "answerCallbackQuery": service.answer_callback_query,
    "setMessageReaction": editing.set_message_reaction,
    "sendChatAction": service.send_chat_action,
    "pinChatMessage": editing.pin_chat_message,
    "unpinChatMessage": editing.unpin_chat_message,
    "getChat": service.get_chat,
    "getChatMember": service.get_chat_member,
    "getChatAdministrators": service.get_chat_administrators,
    "leaveChat": service.leave_chat,
    "getFile": service.get_file,
    "createForumTopic": service.create_forum_topic,
    "editForumTopic": service.edit_forum_topic,
    "closeForumTopic": service.close_forum_topic,
    "reopenForumTopic": service.reopen_forum_topic,
    "setMyCommands": service.set_my_commands,
    "deleteMyCommands": service.delete_my_commands,
}
"""What answers at once; getUpdates alone may wait."""

_encode: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_PAGE: Final = "<html><head><title>{0}</title></head><body><center><h1>{0}</h1></center></body></html>"


def bot_api_app(world: World) -> Starlette:
    """The server of `world`: the Bot API, its files, the control endpoints and the page at `/`."""

    async def method(request: Request) -> Response:
        return await _answer(world, request)

    async def file(request: Request) -> Response:
        return _file(world, request)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await world.delivery.close()

    routes = [
        Route("/bot{token}/{method}", method, methods=["GET", "POST"]),
        Route("/file/bot{token}/documents/{file_id}", file),
        *outside_routes(world),
        *control_routes(world),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


async def _answer(world: World, request: Request) -> Response:
    method = request.path_params["method"]
    try:
        _check_token(world, request)
        method = _known_method(method)
        raw = await read(request)
        fault = world.faults.strike(method, _chat_id(raw.fields.get("chat_id")))
        params = checked(method, raw)
        kind = fault.kind if fault else None
        world.record(Call(method=method, params=params.values, at=world.clock(), fault=kind))
        if fault is None:
            return await _handled(world, request, method, params)
        return await _struck(world, request, fault, method, params)
    except ApiError as error:
        return _refused(world, method, error)


async def _handled(world: World, request: Request, method: str, params: Params) -> Response:
    try:
        if method == "getUpdates":
            result = await _while_connected(request, receiving.get_updates(world, params))
        else:
            if world.floods and method in LIMITED_METHODS:
                world.floods.check(known_chat(world, params.chat_id), world.clock())
            result = HANDLERS[method](world, params)
    except ApiError as error:
        return _refused(world, method, error)
    return _json(200, {"ok": True, "result": result})


async def _struck(world: World, request: Request, fault: Fault, method: str, params: Params) -> Response:
    if fault.kind is FaultKind.RESET:
        return await reset(request)
    if fault.kind not in {FaultKind.LOST, FaultKind.SILENT, FaultKind.SLOW}:
        return _instead(fault)
    response = await _handled(world, request, method, params)
    if fault.kind is FaultKind.LOST:
        return await reset(request)
    if fault.kind is FaultKind.SILENT:
        await _disconnected(request)
    else:
        await _while_connected(request, asyncio.sleep(fault.seconds))
    return response


def _instead(fault: Fault) -> Response:
    match fault.kind:
        case FaultKind.GATEWAY:
            return HTMLResponse(_PAGE.format(f"{fault.status} {fault.description}"), fault.status)
        case FaultKind.HTML:
            return HTMLResponse(_PAGE.format("Welcome"))
        case FaultKind.NOT_OK:
            return _json(200, {"ok": False, "description": fault.description})
        case _:
            extra = {} if fault.retry_after is None else {"retry_after": fault.retry_after}
            return _json(fault.status, ApiError(fault.status, fault.description, **extra).body())


def _check_token(world: World, request: Request) -> None:
    # The sandbox's token is no secret, so a web page could act as the bot; browsers say that it is one.
    if "origin" in request.headers or request.headers.get("sec-fetch-site", "none") != "none":
        raise forbidden("the stand-in takes no calls from web pages")
    if not is_local(request.headers):
        raise forbidden("the stand-in answers on this machine only")
    if not hmac.compare_digest(request.path_params["token"].encode(), world.token.encode()):
        raise ApiError(401, "Unauthorized")


def _known_method(name: str) -> str:
    try:
        return METHODS_BY_LOWER_NAME[name.lower()]
    except KeyError:
        raise ApiError(404, "Not Found: method not found") from None


def _chat_id(value: object) -> int | None:
    text = str(value)
    return int(text) if text.removeprefix("-").isdecimal() else None


def _refused(world: World, method: str, error: ApiError) -> Response:
    world.refuse(Refusal(method=method, status=error.status, description=error.description))
    return _json(error.status, error.body())


def _file(world: World, request: Request) -> Response:
    try:
        _check_token(world, request)
    except ApiError as error:
        return _json(error.status, error.body())
    if file := world.files.get(request.path_params["file_id"]):
        return Response(file.content, media_type="application/octet-stream")
    return _json(404, ApiError(404, "Not Found: file not found").body())


async def _while_connected(request: Request, work: Coroutine[Any, Any, Any]) -> Any:
    """Wait for `work`, but not longer than the client does: a poller that is gone must not hold the queue."""
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(_disconnected(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        return await working if working.done() else None
    finally:
        working.cancel()
        leaving.cancel()


async def _disconnected(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _json(status: int, body: Any) -> Response:
    return Response(_encode(body), status, media_type="application/json")
