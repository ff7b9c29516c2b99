"""A stand-in for the Messages API: it refuses what the real one refuses and serves the turns of a model."""

from __future__ import annotations

import asyncio
import json
import math
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from bot.sandbox import transcript
from bot.sandbox.model_faults import BODIES, ERRORS, ApiError, Fault, FaultKind, spoil
from bot.sandbox.script import Model, ScriptError, lead_of, message_id, wire_content
from bot.sandbox.server import reset
from bot.sandbox.transcript import Json

MODELS = ("claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5", "claude-fable-5-1")

_KEPT = 1000


@dataclass(slots=True)
class _Armed:
    fault: Fault
    seen: int = 0

    def hit(self) -> bool:
        self.seen += 1
        return self.fault.after < self.seen <= self.fault.after + self.fault.times


class MessagesApp(Starlette):
    """The ASGI application.

    `requests` holds the latest bodies of POST /v1/messages, legal or not; `violations` every rule they broke,
    in order. `model` may be exchanged while it runs. `latency` is the time before each answer, in seconds.
    """

    def __init__(self, model: Model, *, latency: float = 0.0) -> None:
        super().__init__(
            routes=[
                Route("/v1/messages", self._messages, methods=["POST"]),
                Route("/v1/models", self._models),
                Route("/v1/models/{model}", self._model),
                Route("/sandbox/requests", self._requests),
                Route("/sandbox/faults", self._faults, methods=["POST"]),
            ],
            exception_handlers={404: _not_found},
        )
        self.model = model
        self.latency = latency
        self.requests: deque[Json] = deque(maxlen=_KEPT)
        self.violations: list[str] = []
        self._armed: list[_Armed] = []

    def inject(self, fault: Fault) -> None:
        """Let the coming calls show `fault`; several injected faults are tried in their order."""
        self._armed.append(_Armed(fault))

    async def _messages(self, request: Request) -> Response:
        body = _parse(await request.body())
        if isinstance(body, ApiError):
            self.violations.append(body.message)
            return _error(body)
        self.requests.append(body)
        if refused := self._refusal(request, body):
            return _error(refused)
        await asyncio.sleep(self.latency)
        fault = self._due_fault(body)
        try:
            message = _message(self.model, body)
        except ScriptError as error:
            return _error(ApiError(400, "invalid_request_error", str(error)))
        return _json(message) if fault is None else await _faulty(request, message, fault)

    def _refusal(self, request: Request, body: Json) -> ApiError | None:
        wrong = transcript.header_faults(request.headers)
        kind, status = ("authentication_error", 401) if wrong else ("invalid_request_error", 400)
        wrong += transcript.faults(body)
        self.violations += wrong
        if wrong:
            return ApiError(status, kind, "; ".join(wrong))
        if not _known(body["model"]):
            return ApiError(404, "not_found_error", f"model: {body['model']}")
        return None

    def _due_fault(self, body: Json) -> Fault | None:
        lead = lead_of(body)
        return next((armed.fault for armed in self._armed if armed.fault.when(lead) and armed.hit()), None)

    async def _models(self, request: Request) -> Response:
        if refused := _model_refusal(request):
            return _error(refused)
        data = [_model_info(name) for name in MODELS]
        return _json({"data": data, "has_more": False, "first_id": MODELS[0], "last_id": MODELS[-1]})

    async def _model(self, request: Request) -> Response:
        name = request.path_params["model"]
        if refused := _model_refusal(request):
            return _error(refused)
        if not _known(name):
            return _error(ApiError(404, "not_found_error", f"model: {name}"))
        return _json(_model_info(name))

    async def _requests(self, _: Request) -> Response:
        return _json({"requests": list(self.requests), "violations": self.violations})

    async def _faults(self, request: Request) -> Response:
        """Inject what the JSON body names: {"kind", "times"?, "after"?, "retry_after"?, "pause"?}."""
        given = await request.json()
        try:
            self.inject(Fault(**given | {"kind": FaultKind(given["kind"])}))
        except (KeyError, TypeError, ValueError) as error:
            return _json({"error": str(error)}, 400)
        return _json({"injected": given})


def messages_app(model: Model, *, latency: float = 0.0) -> MessagesApp:
    """Return the application that answers with the turns of `model`, each after `latency` seconds."""
    return MessagesApp(model, latency=latency)


def _parse(raw: bytes) -> Json | ApiError:
    try:
        body = json.loads(raw, parse_constant=_refuse_constant)
    except ValueError as error:
        return ApiError(400, "invalid_request_error", f"The request body is not valid JSON: {error}")
    if not isinstance(body, dict):
        return ApiError(400, "invalid_request_error", "The request body is not an object")
    return body


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _message(model: Model, body: Json) -> Json:
    reply = model.reply(body)
    return {
        "id": message_id(body),
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": wire_content(reply, body),
        "stop_reason": reply.stop_reason,
        "stop_sequence": None,
        "usage": asdict(reply.usage),
    }


async def _faulty(request: Request, message: Json, fault: Fault) -> Response:
    match fault.kind:
        case FaultKind.RESET:
            return await reset(request)
        case FaultKind.CUT_BODY:
            return _CutResponse(request)
        case FaultKind.SILENCE:
            return await _silent(request)
        case FaultKind.TRICKLE:
            return StreamingResponse(_trickle(fault.pause), media_type="application/json")
        case _:
            return _wrong_answer(message, fault)


def _wrong_answer(message: Json, fault: Fault) -> Response:
    if fault.kind in ERRORS:
        return _error(ERRORS[fault.kind], fault.retry_after)
    if fault.kind in BODIES:
        status, content, media_type = BODIES[fault.kind]
        return Response(content, status, media_type=media_type)
    return _json(spoil(message, fault.kind))


class _CutResponse(Response):
    """Promises a body, then loses the connection in the middle of it."""

    def __init__(self, request: Request) -> None:
        super().__init__(b'{"id": "msg_1", "type": ', headers={"content-length": "4096"})
        self._request = request

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": True})
        await reset(self._request)


async def _silent(request: Request) -> Response:
    """Answer nothing for as long as the client waits."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
    return Response()


async def _trickle(pause: float) -> AsyncIterator[bytes]:
    """White space is legal before JSON, so only the client's own deadline ends this."""
    while True:
        yield b" "
        await asyncio.sleep(pause)


def _json(data: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    # ASCII with escapes, for a scripted model may say what UTF-8 can't hold (a lone surrogate).
    return Response(json.dumps(data), status, headers, media_type="application/json")


def _error(error: ApiError, retry_after: float | None = None) -> Response:
    headers = {"request-id": "req_stand_in"}
    if retry_after is not None and error.status in (429, 503, 529):
        headers["retry-after"] = str(math.ceil(retry_after))
    return _json(error.to_json(), error.status, headers)


async def _not_found(request: Request, _: Exception) -> Response:
    return _error(ApiError(404, "not_found_error", request.url.path))


def _model_refusal(request: Request) -> ApiError | None:
    wrong = transcript.header_faults(request.headers)
    return ApiError(401, "authentication_error", "; ".join(wrong)) if wrong else None


def _known(model: str) -> bool:
    return model.startswith("claude-")


def _model_info(name: str) -> Json:
    return {
        "type": "model",
        "id": name,
        "display_name": f"{name} (stand-in)",
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active",
        "max_input_tokens": 200_000,
        "max_tokens": 64_000,
    }
