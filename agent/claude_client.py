"""The SDK's client, without the work that its HTTP layers do twice or that nobody here needs.

Beside `claude`, which imports it when first asked, the only module that imports `anthropic`.
"""

from typing import Any

import httpx2
from anthropic import AsyncAnthropic, DefaultAioHttpClient
from anthropic._models import FinalRequestOptions


class WholeAnswers(DefaultAioHttpClient):
    """The SDK's aiohttp client for complete requests and complete answers.

    The SDK has merged all headers when it hands a request over, and wants all of the answer.  So defaults are
    not merged again, and streaming, cookies, redirects and flows of authentication are left out: together a
    third of the CPU of a call.
    """

    def build_request(
        self, method: str, url: Any, *, headers: Any = None, timeout: Any = None, **body: Any
    ) -> httpx2.Request:
        extensions = {"timeout": httpx2.Timeout(timeout).as_dict()}
        return httpx2.Request(method, url, headers=headers, extensions=extensions, **body)

    async def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        answer = await self._transport_for_url(request.url).handle_async_request(request)
        assert isinstance(answer.stream, httpx2.AsyncByteStream)
        try:
            content = b"".join([chunk async for chunk in answer.stream])
        finally:
            await answer.stream.aclose()
        return httpx2.Response(
            answer.status_code,
            headers=answer.headers,
            content=content,
            request=request,
            extensions=answer.extensions,
        )


class MessagesClient:
    """Calls one server as one client; the SDK's errors come out as they are.

    timeout: in seconds, for connecting and for each pause of an answer.
    """

    def __init__(self, *, api_key: str, base_url: str, timeout: float) -> None:
        self._client = AsyncAnthropic(
            api_key=api_key,
            base_url=base_url,
            max_retries=0,
            timeout=timeout,
            default_headers={"Accept-Encoding": "gzip, deflate"},
            http_client=WholeAnswers(timeout=timeout),
        )
        # Made and parsed once: `post` would do both for every call.
        url: Any = httpx2.URL(f"{base_url.rstrip('/')}/v1/messages")
        self._post = FinalRequestOptions.construct(method="post", url=url)

    async def create(self, body: bytes) -> object:
        """The answer to a request to /v1/messages, both plain JSON."""
        return await self._client.request(object, self._post.model_copy(update={"content": body}))

    async def retrieve(self, model: str) -> object:
        """The description of a model."""
        return await self._client.get(f"/v1/models/{model}", cast_to=object)

    async def close(self) -> None:
        await self._client.close()
