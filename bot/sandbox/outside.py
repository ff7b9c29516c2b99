"""The page's website form, and where the bot's events arrive."""

from __future__ import annotations

import json
from typing import Final

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from bot.sandbox.chats import Json
from bot.sandbox.control import UNEXPECTED, check_origin
from bot.sandbox.website import FIELDS, Submission, Website
from bot.sandbox.world import World

RECEIVER: Final = "/sandbox/receiver"
"""Where events are to be posted."""


def outside_routes(world: World) -> list[BaseRoute]:
    """The routes; for this machine only, as those of bot.sandbox.control."""

    async def form(request: Request) -> Response:
        check_origin(request.headers)
        try:
            submission = await _submitted(world.website, json.loads(await request.body()))
        except UNEXPECTED as error:
            return JSONResponse({"error": f"no such form: {error}"}, status_code=400)
        return JSONResponse(submission.json())

    async def receiver(request: Request) -> Response:
        check_origin(request.headers)
        signed = world.inbox.event(request.headers, await request.body())
        return PlainTextResponse("ok" if signed else "wrong signature", status_code=200 if signed else 401)

    return [
        Route("/sandbox/form", form, methods=["POST"]),
        Route(RECEIVER, receiver, methods=["POST"]),
    ]


async def _submitted(website: Website, body: Json) -> Submission:
    """A new submission of `answers`, or the one of a `number` posted again."""
    if "number" in body:
        return await website.repeat(int(body["number"]))
    answers = body["answers"]
    return await website.submit({name: str(answers[name]) for name in FIELDS})
