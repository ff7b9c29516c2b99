"""docs/openapi.yaml as schemathesis reads it.  It takes seconds: import this where a test runs."""

from pathlib import Path
from typing import Any

import httpx
import requests
import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]
METHODS = {"get", "post", "put", "patch", "delete"}


def operations() -> dict[str, Any]:
    """Each operation by its method and path."""
    document = schemathesis.openapi.from_path(Path(__file__).parents[2] / "docs/openapi.yaml")
    return {
        f"{method.upper()} {path}": document[path][method]
        for path, item in document.raw_schema["paths"].items()
        for method in item.keys() & METHODS
    }


def request_of(case: schemathesis.Case[Any], url: str) -> httpx.Request:
    """What a case sends to the server at `url`: as `requests`, which schemathesis speaks, would put it."""
    prepared = requests.Request(**case.as_transport_kwargs(base_url=url)).prepare()
    body = prepared.body or b""
    assert isinstance(body, str | bytes)
    return httpx.Request(
        prepared.method or "",
        prepared.url or "",
        headers={name: str(value) for name, value in prepared.headers.items()},
        content=body.encode() if isinstance(body, str) else body,
    )


def check(case: schemathesis.Case[Any], response: httpx.Response) -> None:
    """AssertionError where the document does not allow for this response."""
    case.validate_response(response, checks=CHECKS)
