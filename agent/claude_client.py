"""The Messages API with the SDK's credentials, headers, connections and errors, without its pipeline.

For each call the SDK merges headers, copies options, and wraps several times what is sent and what comes,
which is half of the CPU of a call.  All of that is the same for every call here, so it is done once.

Beside `claude`, which imports it when first asked, the only module that imports `anthropic`.
"""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, cast

import httpx2
from aiohttp import BasicAuth, ClientResponse, ClientSession, ClientTimeout
from anthropic import (
    APIConnectionError,
    APIStatusError,
    APITimeoutError,
    AsyncAnthropic,
    DefaultAioHttpClient,
)
from anthropic._models import FinalRequestOptions

_PATH = "/v1/messages"


class MessagesClient:
    """Calls one server as one client; the SDK's errors come out as they are.

    timeout: in seconds, for opening a connection; whoever calls `create` bounds the whole call.
    """

    def __init__(self, *, api_key: str, base_url: str, timeout: float) -> None:
        http = DefaultAioHttpClient(timeout=timeout)
        self._client = AsyncAnthropic(
            api_key=api_key,
            base_url=base_url,
            max_retries=0,
            timeout=timeout,
            default_headers={"Accept-Encoding": "gzip, deflate"},
            http_client=http,
        )
        # As the SDK would make it, but for the body: errors name it.
        self._request = self._client._build_request(FinalRequestOptions.construct(method="post", url=_PATH))
        self._transport = cast(Any, http._transport_for_url(self._request.url))  # knows the proxy
        self._post: dict[str, Any] = {
            "url": str(self._request.url),
            "headers": _without(self._request.headers, "host", "content-length"),
            "timeout": ClientTimeout(sock_connect=timeout),
            "allow_redirects": False,  # the key goes to the configured address only
            **_through(self._transport.proxy),
        }

    async def create(self, body: bytes) -> object:
        """The answer to a request to /v1/messages, both plain JSON.

        Raises anthropic.APIError for what the server or the way to it is to blame for, ValueError for an
        answer that is no JSON and RecursionError for one nested too deeply.
        """
        try:
            async with self._session().post(data=body, **self._post) as answer:
                content = await answer.read()
        except TimeoutError as error:
            raise APITimeoutError(request=self._request) from error
        except Exception as error:
            raise APIConnectionError(request=self._request) from error
        if answer.status != HTTPStatus.OK:
            raise self._refusal(answer, content)
        return json.loads(content)

    def _refusal(self, answer: ClientResponse, content: bytes) -> APIStatusError:
        headers = _without(answer.headers, "content-encoding")  # is decoded
        response = httpx2.Response(answer.status, headers=headers, content=content, request=self._request)
        return self._client._make_status_error_from_response(response)

    async def retrieve(self, model: str) -> object:
        """The description of a model."""
        return await self._client.get(f"/v1/models/{model}", cast_to=object)

    async def close(self) -> None:
        await self._client.close()

    def _session(self) -> ClientSession:
        """The connections that the SDK's own calls use too."""
        session: ClientSession = self._transport.get_client()  # the one that it keeps, if it keeps one
        self._transport.client = session
        return session


def _without(headers: Mapping[str, str], *names: str) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() not in names}


def _through(proxy: httpx2.Proxy | None) -> dict[str, Any]:
    """What aiohttp wants to know of a proxy."""
    if proxy is None:
        return {}
    auth = BasicAuth(*proxy.auth) if proxy.auth else None
    return {"proxy": str(proxy.url), "proxy_auth": auth, "proxy_headers": proxy.headers}
