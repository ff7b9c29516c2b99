"""Whatever is requested of the web server is answered as docs/openapi.yaml says, and never by a fault."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
import pytest_asyncio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.routing import BaseRoute, Mount, Route

from bot.hooks import Preset
from bot.intake import LARGEST_ID
from bot.source_commands import ADD, NewSource
from tests.bot.harness import Office, escalating, office
from tests.bot.test_web import SECRET, start_webhook

pytestmark = pytest.mark.asyncio(loop_scope="module")

HEALTH, TELEGRAM = "GET /healthz", "POST /telegram/webhook"
HOOK, LOOK = "POST /hooks/{source}/{token}", "GET /hooks/{source}/{token}"

some = settings(suppress_health_check=list(HealthCheck))


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """A served bot and what its document says; `tokens` are those of a source for each preset."""

    office: Office
    client: httpx.AsyncClient
    operations: dict[str, Any]
    tokens: dict[str, str]

    async def ask(self, case: Any) -> httpx.Response:
        """The answer to one request, as documented."""
        from tests.hooks_http.document import check, request_of

        response = await self.client.send(request_of(case, self.office.url))
        check(case, response)
        return response

    @property
    def stored(self) -> int:
        return int(self.office.value("SELECT count(*) FROM posts"))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def served(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    from tests.hooks_http.document import operations

    asked = [NewSource(name=preset, preset=preset, secret=None) for preset in Preset]
    made = office(tmp_path_factory.mktemp("openapi"), escalating(), hook_per_minute=1, hook_max_bytes=1_000)
    async with made as bot, httpx.AsyncClient(trust_env=False) as client:
        await start_webhook(bot)
        await (
            bot.app.claude.warm_up()
        )  # imports on another thread disturb hypothesis, which looks at all modules
        added = await bot.app.store.transaction(lambda tx: [ADD.perform(tx, source) for source in asked])
        tokens = {source["name"]: source["path"].rpartition("/")[2] for source in added}
        yield Served(office=bot, client=client, operations=operations(), tokens=tokens)


def _operations(routes: list[BaseRoute], prefix: str = "") -> Iterator[str]:
    for route in routes:
        match route:
            case Mount():
                yield from _operations(route.routes, prefix + route.path)
            case Route():
                path = (prefix + route.path).rstrip("/")
                yield from (f"{method} {path}" for method in (route.methods or set()) - {"HEAD"})
            case _:
                yield f"? {prefix}"


async def test_the_document_has_every_route(served: Served) -> None:
    """And no other."""
    assert set(_operations(served.office.app.web.app.routes)) == set(served.operations)


@settings(some, max_examples=30)
@given(data=st.data(), label=st.sampled_from([HEALTH, HOOK, LOOK, TELEGRAM]))
async def test_any_request_is_answered_as_documented(served: Served, label: str, data: st.DataObject) -> None:
    """Of anybody who knows no token and no secret: nothing is stored."""
    before = served.stored
    response = await served.ask(data.draw(served.operations[label].as_strategy()))
    assert response.status_code in ({200} if label == HEALTH else {401, 404})
    assert served.stored == before


@settings(some, max_examples=12)
@given(data=st.data())
async def test_200_is_a_row(served: Served, data: st.DataObject) -> None:
    """With the right token: what a form posts, of any preset, is stored as it came, or it is too large."""
    case = data.draw(served.operations[HOOK].as_strategy())
    for preset, token in served.tokens.items():
        before = served.stored
        case.path_parameters = {"source": preset, "token": token}
        response = await served.ask(case)
        assert response.status_code in {200, 413}
        assert served.stored == before + (response.status_code == 200)
        if response.status_code == 200:
            kept = served.office.value("SELECT body FROM posts ORDER BY id DESC LIMIT 1")
            assert kept == response.request.content


@pytest.mark.parametrize("preset", Preset)
async def test_looking_stores_nothing(served: Served, preset: Preset) -> None:
    """A GET with the right token is 200."""
    before = served.stored
    path = {"source": preset.value, "token": served.tokens[preset]}
    response = await served.ask(served.operations[LOOK].Case(path_parameters=path))
    assert response.status_code == 200
    assert served.stored == before


@settings(some, max_examples=15)
@given(data=st.data())
async def test_telegrams_updates_are_rows(served: Served, data: st.DataObject) -> None:
    """With the right secret any update is stored, or it is too large."""
    headers = {"X-Telegram-Bot-Api-Secret-Token": SECRET}
    response = await served.ask(data.draw(served.operations[TELEGRAM].as_strategy(headers=headers)))
    assert response.status_code in {200, 413}
    number: int = json.loads(response.request.content)["update_id"]
    if response.status_code == 200 and abs(number) <= LARGEST_ID:
        assert served.office.value("SELECT count(*) FROM inbox WHERE update_id = ?", number) == 1
