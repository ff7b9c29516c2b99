"""POST /hooks/{source}/{token}: what a website form posts is stored, then acknowledged.

Nothing is read here.  Products give up after five seconds, and some show an error to the visitor on anything
but 200: so a body that nobody can read, a duplicate or a test is stored and 200 all the same.
"""

import asyncio
import hmac
import logging

from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Mount, Route

from agent.clock import Clock
from agent.errors import StorageError
from agent.runs import Lead
from agent.sources import Source
from bot.hooks import Preset, authentic, delivery_id
from bot.ports import BotStore
from bot.rates import Addresses, Rates
from bot.settings import Settings
from bot.web import body_of

log = logging.getLogger(__name__)

PATH = "/hooks"
# The same content posted again within this time is the same lead, where the product gives no id.
SAME_CONTENT_MS = 600_000
SECONDS_FOR_A_BODY = 30.0
LONGEST_CONTENT_TYPE = 500


class HookRoutes:
    """The routes of all sources.  Tokens and bodies go into no log and no answer."""

    def __init__(self, *, store: BotStore, settings: Settings, clock: Clock) -> None:
        self._store = store
        self._largest = settings.hook_max_bytes
        self._addresses = Addresses(settings.trusted_proxies)
        self._by_source = Rates(settings.hook_per_minute)
        self._by_address = Rates(settings.hook_per_minute_per_address)
        self._clock = clock

    def routes(self) -> list[BaseRoute]:
        """A form of one's own may post from the page itself, so any origin may (CORS)."""
        paths = ("/{source}/{token}", "/{source}/{token}/")
        found = [Route(path, self._on_request, methods=["POST", "GET"]) for path in paths]
        return [
            Mount(
                PATH,
                routes=found,
                middleware=[
                    Middleware(
                        CORSMiddleware, allow_origins=["*"], allow_methods=["POST"], allow_headers=["*"]
                    )
                ],
            )
        ]

    async def _on_request(self, request: Request) -> Response:
        try:
            return await self._answer(request)
        except StorageError as error:
            log.error("a website form was told to try again: %s", error)
            return PlainTextResponse("try again later", status_code=503)
        except TimeoutError:
            return PlainTextResponse("too slow", status_code=408)
        except ClientDisconnect:
            return Response(status_code=400)  # nobody is there to read it

    async def _answer(self, request: Request) -> Response:
        name, token = request.path_params["source"], request.path_params["token"]
        source = await self._store.read(lambda tx: tx.sources.find(name))
        if source is None:
            return PlainTextResponse("unknown source", status_code=404)
        if not hmac.compare_digest(token.encode(errors="replace"), source.token.encode()):
            return _refused(source, "wrong token")
        if request.method != "POST":  # some products look whether the URL is there
            return PlainTextResponse("ok: post the form here")
        async with asyncio.timeout(SECONDS_FOR_A_BODY):
            body = await body_of(request, self._largest)
        if body is None:
            log.warning("source %s: a request is larger than %d bytes", source.name, self._largest)
            return PlainTextResponse("too large", status_code=413)
        now_seconds = self._clock() / 1000
        query, headers = dict(request.query_params), request.headers
        if not authentic(Preset(source.preset), source.secret, headers, query, body, now_seconds):
            return _refused(source, "wrong secret or signature")
        return _accepted(request, await self._receive(source, request, body))

    async def _receive(self, source: Source, request: Request, body: bytes) -> int | None:
        """Commit the request; the id of the lead if it was posted before."""
        headers, at = request.headers, self._clock()
        exceeded = [
            self._by_source.exceeded(source.id),
            self._by_address.exceeded(self._addresses.of(request)),
        ]
        content_type = headers.get("content-type")
        return await self._store.transaction(
            lambda tx: tx.posts.receive(
                source,
                body,
                content_type=content_type[:LONGEST_CONTENT_TYPE] if content_type else None,
                delivery_id=delivery_id(headers),
                flooding=any(exceeded),
                at=at,
                since=at - SAME_CONTENT_MS,
            )
        )


def _refused(source: Source, reason: str) -> Response:
    log.warning("source %s: a request is refused (%s)", source.name, reason)
    return PlainTextResponse(reason, status_code=401)


def _accepted(request: Request, lead_id: int | None) -> Response:
    """`ok`, and the lead where it is known already: of one that was posted before."""
    lead = None if lead_id is None else Lead.name_of(lead_id)
    if "application/json" in request.headers.get("accept", ""):
        return JSONResponse({"ok": True, "lead": lead})
    return PlainTextResponse("ok" if lead is None else f"ok {lead}")
