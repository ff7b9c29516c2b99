"""docs/openapi.yaml as schemathesis reads it.  It takes seconds: import this where a test runs."""

from pathlib import Path
from typing import Any

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


def answer(case: schemathesis.Case[Any], url: str, session: requests.Session) -> Any:
    """What the server at `url` answers; AssertionError where the document does not allow for it."""
    response = case.call(base_url=url, session=session)
    case.validate_response(response, checks=CHECKS)
    return response
