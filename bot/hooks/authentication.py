"""Whether a request comes from whom it says."""

from collections.abc import Mapping

from bot.hooks.presets import Preset


def authentic(
    preset: Preset,
    secret: str | None,
    headers: Mapping[str, str],
    query: Mapping[str, str],
    body: bytes,
    now_seconds: float,
) -> bool:
    """Whether the request proves to know `secret`; True without one, the token of the URL being checked."""
    raise NotImplementedError


def delivery_id(headers: Mapping[str, str]) -> str | None:
    """The id of a delivery where it stands in a header (Idempotency-Key, webhook-id), else None."""
    raise NotImplementedError
