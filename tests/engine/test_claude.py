"""The adapter to the Messages API: what goes out, and what becomes of anything that comes back."""

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from agent import transcript
from agent.claude import Claude, ClaudeSettings
from agent.errors import ModelNonsense, ModelRefused, ModelUnavailable
from agent.jsontext import dumps
from agent.limits import Usage
from agent.ports import Reply
from agent.runs import RunStatus
from bot.sandbox.script import Call, Say, call, say, turn
from bot.sandbox.script import Usage as TokenCounts
from bot.sandbox.server import serve
from tests.company import Company, deal

if TYPE_CHECKING:
    from llmock.pytest_plugin import LLMock

TASK = [transcript.text("Process this lead.")]


@asynccontextmanager
async def claude(url: str, **settings: Any) -> AsyncIterator[Claude]:
    model = Claude(ClaudeSettings(api_key="test-key", base_url=url, **settings))
    try:
        yield model
    finally:
        await model.close()


async def answered(company: Company, body: bytes, status: int = 200, **headers: str) -> Reply:
    """What the adapter makes of a server that answers `body`."""

    async def answer(_: Request) -> Response:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Response(body, status, {"content-type": "application/json", **named})

    app = Starlette(routes=[Route("/v1/messages", answer, methods=["POST"])])
    async with serve(app) as url, claude(url) as model:
        return await model.reply(company.agent.spec, TASK, max_tokens=100)


def message(**fields: Any) -> bytes:
    whole = {"type": "message", "content": [], "stop_reason": "end_turn", "usage": {}}
    return json.dumps(whole | fields).encode()


async def test_the_request_is_the_spec_and_the_transcript(company: Company) -> None:
    """Model, room, system, tools and messages go out as they are, with one cache mark and nothing more."""
    company.script(turn(say("Done.")))
    await company.model.reply(company.agent.spec, TASK, max_tokens=123)
    (body,) = company.requests
    assert body == {
        "model": "claude-opus-5-5",
        "max_tokens": 123,
        "system": [
            {"type": "text", "text": company.agent.spec.system, "cache_control": {"type": "ephemeral"}}
        ],
        "tools": company.agent.spec.tools,
        "messages": TASK,
    }


async def test_strict_and_cache_can_be_left_out_for_other_servers(company: Company) -> None:
    """Servers that speak this API but refuse those fields get neither."""
    company.script(turn(say("Done.")))
    async with (
        serve(company.api) as url,
        claude(url, strict=False, cache=False) as model,
    ):
        await model.reply(company.agent.spec, TASK, max_tokens=123)
    text = dumps(company.requests[-1])
    assert '"strict"' not in text
    assert "cache_control" not in text
    assert [tool["strict"] for tool in company.agent.spec.tools] == [True] * 4


async def test_the_reply_keeps_its_content_as_plain_json(company: Company) -> None:
    """Ids, signatures and fields unknown to this program come back exactly as they were sent."""
    content = [
        {"type": "thinking", "thinking": "", "signature": "s"},
        {"type": "text", "text": "Hi", "citations": None},
        {"type": "tool_use", "id": "t1", "name": "x", "input": {"n": 1.5, "none": None}, "caller": {"a": []}},
    ]
    reply = await answered(company, message(content=content, stop_reason="tool_use"))
    assert (reply.content, reply.stop_reason) == (content, "tool_use")


async def test_empty_text_blocks_are_dropped(company: Company) -> None:
    """The API sends them at times and refuses them when they come back."""
    blocks = [{"type": "text", "text": text} for text in ("", " \n", "Hi", None)]
    assert (await answered(company, message(content=blocks))).content == [{"type": "text", "text": "Hi"}]


async def test_text_that_no_later_reader_could_encode_is_cleaned(company: Company) -> None:
    """Lone surrogates, NUL and numbers that are not JSON are replaced before anything is stored."""
    body = rb'{"content": [{"type": "text", "text": "a\ud800b\u0000"}, {"type": "x", "n": [1e999, NaN]}]}'
    reply = await answered(company, body)
    assert reply.content == [{"type": "text", "text": "a�b�"}, {"type": "x", "n": [None, None]}]


@pytest.mark.parametrize(
    ("usage", "total"),
    [
        ({"input_tokens": 1, "output_tokens": 2, "cache_read_input_tokens": 4}, 7),
        ({"input_tokens": None, "output_tokens": "9", "cache_read_input_tokens": -5}, 0),
        ({"input_tokens": 2.5, "output_tokens": [], "cache_creation_input_tokens": {}}, 0),
        (None, 0),
        ([], 0),
        ("many", 0),
    ],
)
async def test_odd_token_counts_count_as_none(company: Company, usage: Any, total: int) -> None:
    """Whatever is no count of tokens is zero."""
    assert (await answered(company, message(usage=usage))).usage.total == total


async def test_an_absurd_token_count_ends_a_run_and_breaks_no_store(company: Company) -> None:
    """A count that no column could hold spends the budget, and is stored."""
    company.script(turn(call("get_customer_history"), usage=TokenCounts(input_tokens=10**30)))
    run = await company.work(await company.lead())
    assert run.status is RunStatus.BUDGET


async def test_an_absurd_wish_to_wait_is_no_wish(company: Company) -> None:
    """A run waits its usual two seconds where the server names no finite time."""

    async def answer(_: Request) -> Response:
        return Response(b"{}", 503, {"retry-after": "inf"})

    app = Starlette(routes=[Route("/v1/messages", answer, methods=["POST"])])
    async with serve(app) as url, claude(url) as company.model:
        company.deploy(company.agent)
        run = await company.work(await company.lead())
    assert (run.status, run.retry_at) == (RunStatus.QUEUED, company.clock() + 2_000)


@pytest.mark.parametrize(
    "body",
    [
        b"0",
        b'"text"',
        b"true",
        b'{"type": "error", "error": {"message": "odd"}}',
        b'{"type": "message", "content": "text"}',
        b'{"type": "message", "content": ["text"]}',
        b'{"type": "message", "content": [{"text": "no type"}]}',
        b'{"type": "message", "content": [{"type": 7}]}',
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"content": [{"type": "text", "text": "a"}], "n": ' + b"9" * 5_000 + b"}",
        b'{"content": [{"type": "x", "deep": ' + b"[" * 700 + b"]" * 700 + b"}]}",
    ],
    ids=range(12),
)
async def test_an_answer_that_is_no_message_is_nonsense(company: Company, body: bytes) -> None:
    """Whatever a server sends with HTTP 200, only the tree's own errors come out."""
    with pytest.raises(ModelNonsense):
        await answered(company, body)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [("12", 12.0), ("1.5", 1.5), ("-3", 0.0), ("soon", None), ("inf", None), ("nan", None), ("1e400", None)],
)
async def test_retry_after_is_read_where_it_is_a_number(
    company: Company, value: str, seconds: float | None
) -> None:
    """Only a finite number of seconds counts; anything else is as if the server had said nothing."""
    with pytest.raises(ModelUnavailable) as caught:
        await answered(company, b"{}", 529, retry_after=value)
    assert caught.value.retry_after == seconds


async def test_the_servers_own_words_are_told_briefly(company: Company) -> None:
    """Operators read why, in one short line, without what can't be shown."""
    body = json.dumps({"error": {"message": "no \ud800" + "x" * 1000}}).encode()
    with pytest.raises(ModelRefused) as caught:
        await answered(company, body, 403)
    assert str(caught.value).startswith("HTTP 403: no �x")
    assert len(str(caught.value)) < 320


async def test_a_compressed_answer_is_read(company: Company) -> None:
    """Servers and proxies on the way may compress what they send."""
    body = gzip.compress(message(content=[{"type": "text", "text": "Hi"}]))
    reply = await answered(company, body, content_encoding="gzip")
    assert reply.content == [{"type": "text", "text": "Hi"}]


async def test_a_redirect_is_not_followed(company: Company) -> None:
    """The key goes to the configured server and to no other; people are told to look."""
    with pytest.raises(ModelRefused, match="HTTP 307"):
        await answered(company, b"{}", 307, location="http://127.0.0.1:9/v1/messages")


async def test_an_answer_that_breaks_off_is_asked_for_again_later(company: Company) -> None:
    """A connection lost in the middle of an answer is a passing fault."""

    async def break_off(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{")
        writer.close()

    async with await asyncio.start_server(break_off, "127.0.0.1", 0) as server:
        host, port = server.sockets[0].getsockname()
        async with claude(f"http://{host}:{port}") as model:
            with pytest.raises(ModelUnavailable):
                await model.reply(company.agent.spec, TASK, max_tokens=1)


async def test_calls_go_through_the_systems_proxy(company: Company, monkeypatch: pytest.MonkeyPatch) -> None:
    """HTTP_PROXY and HTTPS_PROXY hold: from some countries there is no other way to the API."""
    company.script(turn(say("Done.")))
    async with serve(company.api) as proxy:  # given an absolute URL, the stand-in answers like a proxy would
        monkeypatch.setenv("HTTP_PROXY", proxy)
        async with claude("http://api.invalid") as model:
            reply = await model.reply(company.agent.spec, TASK, max_tokens=1)
    assert reply.content == [{"type": "text", "text": "Done."}]


async def test_a_server_that_is_not_there_is_asked_again_later(company: Company) -> None:
    """A refused connection is a passing fault."""
    async with serve(company.api) as url:
        pass
    async with claude(url) as model:
        with pytest.raises(ModelUnavailable):
            await model.reply(company.agent.spec, TASK, max_tokens=1)
        with pytest.raises(ModelUnavailable):
            await model.model_exists("claude-opus-5-5")


async def test_a_model_is_asked_for_without_spending_tokens(company: Company) -> None:
    """The check of a model's name makes no call of the model, and says so where it is unknown."""
    await company.model.model_exists("claude-opus-5-5")
    with pytest.raises(ModelRefused, match="HTTP 404"):
        await company.model.model_exists("gpt")
    assert company.requests == []


async def test_odd_ids_and_names_end_the_run_cleanly(company: Company) -> None:
    """A call that the API would refuse when it is handed back ends the run, with nothing done twice."""
    for block in (Call("two words", {}), Call("x" * 200, {}), Call("", {}), Say(" ")):
        company.script(turn(block), turn(say("Done.")))
        run = await company.work(await company.lead())
        assert run.status in (RunStatus.FAILED, RunStatus.DONE)


async def test_a_second_opinion(company: Company, llmock: "LLMock") -> None:
    """An independent stand-in (PyPI's llmock) takes the requests, and its answers work a lead to the end."""
    company.script(turn(deal()), turn(say("Done.")))
    llmock.rate_limit(times=1, retry_after=7)
    llmock.call_tool("create_deal", deal().input)
    llmock.reply("Created a deal.")
    async with claude(llmock.base_url("anthropic")) as model:
        company.model = model
        company.deploy(company.agent)
        run = await company.work(await company.lead())
        assert (run.status, run.retry_at) == (RunStatus.QUEUED, company.clock() + 7_000)
        company.clock.forward(7_000)
        run = await company.work(run)
    assert (run.status, run.text) == (RunStatus.DONE, "Created a deal.")
    assert run.usage != Usage()
    assert len((await company.view(run)).deals) == 1
