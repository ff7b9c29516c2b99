"""The stand-in Messages API, as the official client sees it over HTTP."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import anthropic
import httpx2
import pytest

from bot.sandbox.messages_api import MessagesApp, messages_app
from bot.sandbox.model_faults import Fault, FaultKind
from bot.sandbox.script import Model, Script, Scripts, Turn, Usage, call, say, think, turn, turns_done
from bot.sandbox.server import serve
from bot.sandbox.transcript import Json
from tests.sandbox.conversation import LEAD, TOOLS, assistant, request, result, task, use, user

SEED_TURNS = (
    turn(call("get_customer_history")),
    turn(
        call("create_deal", {"service": "crm", "summary": "Clinic wants a CRM for patient bookings."}),
        call("send_reply", {"text": "Hello, Dana! Thank you for the request about the CRM."}),
    ),
    turn(say("Created deal D-1 (crm) and sent a reply to the lead.")),
)


@asynccontextmanager
async def served(model: Model) -> AsyncIterator[tuple[MessagesApp, anthropic.AsyncAnthropic]]:
    app = messages_app(model)
    async with (
        serve(app) as url,
        anthropic.AsyncAnthropic(base_url=url, api_key="test", max_retries=0, timeout=5) as client,
    ):
        yield app, client


def plain(client: anthropic.AsyncAnthropic) -> httpx2.AsyncClient:
    """An HTTP client that adds nothing of Anthropic's, for the server that `client` talks to."""
    return httpx2.AsyncClient(base_url=str(client.base_url))


async def create(client: anthropic.AsyncAnthropic, *messages: Json, **parameters: Any) -> Any:
    """One call, untyped as a reply may be anything at all."""
    return await client.messages.create(**request(*messages, **parameters))


async def test_the_official_client_holds_a_whole_conversation() -> None:
    """The seed's three turns over HTTP: stored blocks are sent back as they came, usage is the seed's."""
    async with served(Script(SEED_TURNS)) as (app, client):
        messages = [task(LEAD)]
        replies = []
        for _ in SEED_TURNS:
            reply = await create(client, *messages, system="You process leads.", tools=TOOLS)
            replies.append(reply)
            content = reply.to_dict(mode="json", warnings=False)["content"]
            messages.append(assistant(*content))
            calls = [block["id"] for block in content if block["type"] == "tool_use"]
            messages.append(user(*(result(ident) for ident in calls)))
        assert [reply.stop_reason for reply in replies] == ["tool_use", "tool_use", "end_turn"]
        assert replies[2].content[0].text == "Created deal D-1 (crm) and sent a reply to the lead."
        usage = replies[0].usage
        assert (usage.input_tokens, usage.output_tokens, usage.cache_read_input_tokens) == (1800, 120, 0)
        assert app.violations == []
        assert len(app.requests) == 3


async def test_a_repeated_call_gets_the_same_answer() -> None:
    """After a crash the same request brings the same message, ids included."""
    async with served(Script(SEED_TURNS)) as (_, client):
        first, again = [(await create(client, task(LEAD))).to_dict() for _ in range(2)]
        assert first == again


async def test_call_ids_differ_between_conversations_and_turns() -> None:
    """No two calls share an id, whoever the lead."""
    async with served(Script((turn(call("a"), call("b")), turn(call("a"))))) as (_, client):
        replies = [await create(client, task(LEAD | {"id": ident})) for ident in ("L-1", "L-2")]
        first = [block.id for block in replies[0].content]
        replies.append(
            await create(
                client,
                task(LEAD | {"id": "L-1"}),
                assistant(*(use(ident, "a") for ident in first)),
                user(*(result(ident) for ident in first)),
            )
        )
        ids = [block.id for reply in replies for block in reply.content]
        assert len(set(ids)) == len(ids) == 5


async def test_each_lead_has_its_script() -> None:
    """A script is chosen by the lead in the first message; a lead that no script wants is told so."""
    scripts = Scripts(
        (
            Script((turn(say("For Dana")),), when=lambda lead: lead.name == "Dana"),
            Script((turn(say("For Ivan")),), when=lambda lead: "сайт" in lead.message),
        )
    )
    async with served(scripts) as (_, client):
        assert (await create(client, task(LEAD))).content[0].text == "For Dana"
        ivan = {"id": "L-2", "name": "Иван", "message": "Нужен сайт"}
        assert (await create(client, task(ivan))).content[0].text == "For Ivan"
        with pytest.raises(anthropic.BadRequestError, match="no script accepts the lead 'L-3'"):
            await create(client, task({"id": "L-3"}))


async def test_a_script_that_is_over_says_so() -> None:
    """A turn that nobody wrote is an error, not an invention."""
    async with served(Script(())) as (_, client):
        with pytest.raises(anthropic.BadRequestError, match="the script has 0 turns"):
            await create(client, task(LEAD))


async def test_thinking_is_signed_and_checked() -> None:
    """A thinking block goes back unharmed, and is refused once the system prompt has changed."""
    script = Script((turn(think("A CRM."), call("get_customer_history")), turn(say("Done."))))
    async with served(script) as (app, client):
        first = await create(client, task(LEAD), system="Old prompt")
        content = first.to_dict(mode="json", warnings=False)["content"]
        history = [task(LEAD), assistant(*content), user(result(content[1]["id"]))]
        assert (await create(client, *history, system="Old prompt")).content[0].text == "Done."
        with pytest.raises(anthropic.BadRequestError, match="thinking block"):
            await create(client, *history, system="New prompt")
        assert len(app.violations) == 1


async def test_an_illegal_transcript_is_refused_and_remembered() -> None:
    """A call without its result is a 400 in Anthropic's error JSON, and can be looked up afterwards."""
    async with served(Script(SEED_TURNS)) as (app, client):
        with pytest.raises(anthropic.BadRequestError) as caught:
            await create(client, task(LEAD), assistant(use("t1")), user("Well?"))
        assert caught.value.body == {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "messages: tool_use t1 has no tool_result in the very next message",
            },
        }
        assert app.violations == ["messages: tool_use t1 has no tool_result in the very next message"]
        async with plain(client) as http:
            seen = (await http.get("/sandbox/requests")).json()
        assert seen == {"requests": list(app.requests), "violations": app.violations}


async def test_a_key_and_a_version_are_asked_for() -> None:
    """Without them it is a 401, on every path."""
    async with served(Script(SEED_TURNS)) as (_, client), plain(client) as http:
        posted = await http.post("/v1/messages", json=request(task(LEAD)))
        listed = await http.get("/v1/models")
        assert (posted.status_code, listed.status_code) == (401, 401)
        assert posted.json()["error"]["type"] == "authentication_error"


@pytest.mark.parametrize("raw", [b"{", b"[]", b'{"max_tokens": NaN}', b"\xff"])
async def test_a_body_that_is_no_object_is_refused(raw: bytes) -> None:
    """Bad JSON, NaN or anything but an object is a 400."""
    async with served(Script(SEED_TURNS)) as (app, client), plain(client) as http:
        headers = {"x-api-key": "k", "anthropic-version": "2026-10-21"}
        answer = await http.post("/v1/messages", content=raw, headers=headers)
        assert answer.status_code == 400
        assert len(app.violations) == 1


async def test_models_can_be_looked_up() -> None:
    """The check of the settings finds a model that exists, and is told of one that does not."""
    async with served(Script(SEED_TURNS)) as (_, client):
        assert (await client.models.retrieve("claude-opus-5-5")).id == "claude-opus-5-5"
        assert "claude-opus-5-5" in [model.id async for model in client.models.list()]
        with pytest.raises(anthropic.NotFoundError):
            await client.models.retrieve("gpt-1")
        with pytest.raises(anthropic.NotFoundError):
            await create(client, task(LEAD), model="gpt-1")
        with pytest.raises(anthropic.NotFoundError):
            await client.get("/v1/nothing", cast_to=object)


async def test_text_that_utf8_cannot_hold_arrives() -> None:
    """A scripted model may say half a character; the client gets it."""
    async with served(Script((turn(say("half \ud83d")),))) as (_, client):
        assert (await create(client, task(LEAD))).content[0].text == "half \ud83d"


def is_error(error: type[Exception]) -> Callable[[Any], bool]:
    return lambda outcome: isinstance(outcome, error)


def has(**fields: Any) -> Callable[[Any], bool]:
    return lambda reply: all(getattr(reply, name) == value for name, value in fields.items())


def first_block(**fields: Any) -> Callable[[Any], bool]:
    return lambda reply: has(**fields)(reply.content[0])


SYMPTOMS: dict[FaultKind, Callable[[Any], bool]] = {
    FaultKind.INVALID_REQUEST: is_error(anthropic.BadRequestError),
    FaultKind.UNAUTHENTICATED: is_error(anthropic.AuthenticationError),
    FaultKind.PAYMENT_REQUIRED: is_error(anthropic.PaymentRequiredError),
    FaultKind.FORBIDDEN: is_error(anthropic.PermissionDeniedError),
    FaultKind.NOT_FOUND: is_error(anthropic.NotFoundError),
    FaultKind.REQUEST_TIMEOUT: is_error(anthropic.RequestTimeoutError),
    FaultKind.CONFLICT: is_error(anthropic.ConflictError),
    FaultKind.TOO_LARGE: is_error(anthropic.ContentTooLargeError),
    FaultKind.RATE_LIMITED: lambda error: (
        isinstance(error, anthropic.RateLimitError)
        and error.error_code is None
        and error.response.headers["retry-after"] == "7"
    ),
    FaultKind.SPEND_LIMIT: lambda error: (
        isinstance(error, anthropic.RateLimitError) and error.error_code == "enforced_spend_limit_reached"
    ),
    FaultKind.SERVER_ERROR: is_error(anthropic.InternalServerError),
    FaultKind.UNAVAILABLE: is_error(anthropic.ServiceUnavailableError),
    FaultKind.OVERLOADED: is_error(anthropic.OverloadedError),
    FaultKind.RESET: is_error(anthropic.APIConnectionError),
    FaultKind.CUT_BODY: is_error(anthropic.APIConnectionError),
    FaultKind.TRICKLE: is_error(TimeoutError),
    FaultKind.SILENCE: is_error(anthropic.APITimeoutError),
    FaultKind.BAD_JSON: is_error(json.JSONDecodeError),
    FaultKind.EMPTY_BODY: is_error(json.JSONDecodeError),
    FaultKind.NO_CONTENT: is_error(json.JSONDecodeError),
    FaultKind.HTML: is_error(str),  # type: ignore[arg-type]
    FaultKind.NULL: lambda reply: reply is None,
    FaultKind.LIST: lambda reply: reply == [],
    FaultKind.EMPTY_OBJECT: has(content=None, stop_reason=None, usage=None),
    FaultKind.NULL_CONTENT: has(content=None),
    FaultKind.EMPTY_CONTENT: has(content=[], stop_reason="end_turn"),
    FaultKind.UNKNOWN_BLOCK: first_block(type="future_block", text=None),
    FaultKind.UNKNOWN_STOP_REASON: has(stop_reason="moonrise"),
    FaultKind.MISSING_STOP_REASON: has(stop_reason=None),
    FaultKind.STRING_INPUT: first_block(input='{"text": "Hello, Dana! Thank you."}'),
    FaultKind.NULL_INPUT: first_block(input=None),
    FaultKind.OFF_SCHEMA_INPUT: first_block(
        input={"text": "Hello, Dana! Thank you.", "phone": "+77779999999"}
    ),
    FaultKind.DUPLICATE_IDS: lambda reply: len(reply.content) == 2 and reply.content[0] == reply.content[1],
    FaultKind.CALL_WITHOUT_BLOCK: lambda reply: (
        reply.stop_reason == "tool_use" and [block.type for block in reply.content] == ["text"]
    ),
    FaultKind.USAGE_MISSING: has(usage=None),
    FaultKind.USAGE_NULLS: lambda reply: (
        reply.usage.input_tokens is None and reply.usage.cache_read_input_tokens is None
    ),
    FaultKind.TRUNCATED: lambda reply: (
        reply.stop_reason == "max_tokens" and reply.content[0].input == {"text": "Hello, Dana"}
    ),
    FaultKind.PAUSED: has(stop_reason="pause_turn"),
    FaultKind.REFUSED: has(stop_reason="refusal", content=[]),
    FaultKind.CONTEXT_WINDOW: has(stop_reason="model_context_window_exceeded"),
}


@pytest.mark.parametrize("kind", FaultKind, ids=lambda kind: kind.value)
async def test_each_fault_shows_its_symptom_once(kind: FaultKind) -> None:
    """The client meets exactly the symptom that was injected, and the next call is answered again."""
    script = Script((turn(call("send_reply", {"text": "Hello, Dana! Thank you."})),))
    async with served(script) as (app, client):
        app.inject(Fault(kind=kind, retry_after=7))
        patient = client.with_options(timeout=0.2 if kind is FaultKind.SILENCE else 5)
        outcome: Any
        try:
            async with asyncio.timeout(0.2 if kind is FaultKind.TRICKLE else 5):
                outcome = await create(patient, task(LEAD))
        except (anthropic.APIError, ValueError, TimeoutError) as error:
            outcome = error
        assert SYMPTOMS[kind](outcome), outcome
        assert (await create(client, task(LEAD))).stop_reason == "tool_use"


async def test_a_fault_waits_and_lasts_as_told() -> None:
    """`after` calls go well, `times` do not, and only those of the lead that was meant count."""
    async with served(Script((turn(say("Hello")),))) as (app, client):
        app.inject(Fault(kind=FaultKind.OVERLOADED, after=1, times=2, when=lambda lead: lead.name == "Dana"))
        outcomes = []
        for lead in (LEAD, LEAD, {"id": "L-2", "name": "Ivan"}, LEAD, LEAD):
            try:
                outcomes.append((await create(client, task(lead))).content[0].text)
            except anthropic.OverloadedError:
                outcomes.append("overloaded")
        assert outcomes == ["Hello", "overloaded", "Hello", "overloaded", "Hello"]


async def test_faults_can_be_injected_over_http() -> None:
    """Another process injects by name; an unknown name is refused."""
    async with served(Script((turn(say("Hello")),))) as (_, client), plain(client) as http:
        injected = await http.post("/sandbox/faults", json={"kind": "overloaded", "times": 1})
        assert injected.status_code == 200
        assert (await http.post("/sandbox/faults", json={"kind": "earthquake"})).status_code == 400
        with pytest.raises(anthropic.OverloadedError):
            await create(client, task(LEAD))


async def test_a_paused_turn_goes_on_where_it_stopped() -> None:
    """Handed back unchanged, a paused turn is finished by the turn that was due, and all of it is legal."""
    async with served(Script(SEED_TURNS)) as (app, client):
        app.inject(Fault(kind=FaultKind.PAUSED))
        paused = (await create(client, task(LEAD))).to_dict(mode="json", warnings=False)["content"]
        resumed = await create(client, task(LEAD), assistant(*paused))
        assert [block.name for block in resumed.content] == ["get_customer_history"]
        content = resumed.to_dict(mode="json", warnings=False)["content"]
        history = [task(LEAD), assistant(*paused), assistant(*content), user(result(content[0]["id"]))]
        assert (await create(client, *history)).content[0].name == "create_deal"
        assert app.violations == []


async def test_an_unknown_block_can_be_sent_back() -> None:
    """A block newer than the client survives storing and resending."""
    async with served(Script(SEED_TURNS)) as (app, client):
        app.inject(Fault(kind=FaultKind.UNKNOWN_BLOCK))
        content = (await create(client, task(LEAD))).to_dict(mode="json", warnings=False)["content"]
        await create(client, task(LEAD), assistant(*content), user(result(content[1]["id"])))
        assert app.violations == []


async def test_usage_is_what_the_turn_says() -> None:
    """A turn may cost anything, and its usage may have gaps."""
    usage = Usage(input_tokens=5500, output_tokens=500, cache_read_input_tokens=None)
    async with served(Script((turn(say("Hello"), usage=usage),))) as (_, client):
        told = (await create(client, task(LEAD))).usage
        assert (told.input_tokens, told.output_tokens, told.cache_read_input_tokens) == (5500, 500, None)


async def test_latency_delays_the_answer() -> None:
    """The answer takes at least as long as asked for."""
    async with (
        serve(messages_app(Script((turn(say("Hello")),)), latency=0.05)) as url,
        anthropic.AsyncAnthropic(base_url=url, api_key="test", max_retries=0) as client,
    ):
        loop = asyncio.get_running_loop()
        started = loop.time()
        await create(client, task(LEAD))
        assert loop.time() - started >= 0.05


@pytest.mark.parametrize(
    ("messages", "done"),
    [
        ([user("Hi")], 0),
        ([user("Hi"), user("Hello?")], 0),
        ([user("Hi"), assistant(use("a")), user(result("a"))], 1),
        ([user("Hi"), assistant(use("a")), assistant(use("b")), user(result("a"), result("b"))], 1),
        ([user("Hi"), assistant({"type": "text", "text": "One moment"})], 0),
    ],
)
def test_turns_are_counted_as_the_api_reads_them(messages: list[Json], done: int) -> None:
    """Neighbours of one role are one turn, and a turn that is handed back as the last is not done."""
    assert turns_done(request(*messages)) == done


def test_a_turn_stops_for_its_calls() -> None:
    """`turn` sets the stop reason that goes with its blocks."""
    assert isinstance(turn(say("a")), Turn)
    assert turn(say("a"), call("b")).stop_reason == "tool_use"
    assert turn(say("a")).stop_reason == "end_turn"
