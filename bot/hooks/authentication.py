"""Whether a request comes from whom it says.

The token in the URL is checked by the server for every source; this is about the secret beside it.

| preset | proof of the secret | source of the rule |
|---|---|---|
| wpforms | `X-WPForms-Webhook-Signature: t=<s>,v=<hex>` over `<t>.<body>` | the addon's Process.php |
| webflow | `x-webflow-signature: <hex>` over `<x-webflow-timestamp, ms>:<body>` | developers.webflow.com; only webhooks made by its API are signed |
| typeform | `Typeform-Signature: sha256=<base64>` over the body | typeform.com/developers/webhooks |
| tally | `Tally-Signature: <base64>` over the body | developers.tally.so |
| google-ads | `google_key` in the body | developers.google.com/google-ads/webhook |
| generic, google-forms | `webhook-signature: v1,<base64>` over `<webhook-id>.<webhook-timestamp>.<body>`, or the secret itself | Standard Webhooks |
| tilda, cf7, elementor, jotform | the secret itself: they sign nothing | |

Every signature is an HMAC-SHA256.  The secret itself comes as `?token=`, `?secret=`, `X-Webhook-Secret`,
`X-Api-Key` or `Authorization: Bearer`; a product that signs has to sign, or whoever reads an address in a log
could do without.

A request overheard and sent again makes no second lead, whenever that is: its id (Webflow's in the body, the
others' in `delivery_id`) is known.  So the clocks of other people's sites, which are often wrong, are no reason
to lose a lead; five minutes hold for Standard Webhooks alone, which asks for them.
"""  # noqa: E501 - rows of a table

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import quote

from bot.hooks.bodies import Unreadable, tree_of
from bot.hooks.presets import Preset

# Seconds before and after its time in which a request of Standard Webhooks holds.
TOLERANCE = 300

_WPFORMS = re.compile(r"t=(?P<time>\d{1,12}),v=(?P<signature>[0-9a-f]{64})", re.ASCII)
_DIGITS = re.compile(r"\d{1,15}", re.ASCII)
_IDS = ("idempotency-key", "webhook-id", "x-wpforms-webhook-signature")
_LONGEST_ID = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    headers: Mapping[str, str]
    query: Mapping[str, str]
    body: bytes
    now: float

    def header(self, name: str) -> str:
        return self.headers.get(name, "").strip()

    def is_recent(self, seconds: float) -> bool:
        return abs(self.now - seconds) <= TOLERANCE


Check = Callable[[str, _Request], bool]


def authentic(  # noqa: PLR0917 - what a request is made of, in its order
    preset: Preset,
    secret: str | None,
    headers: Mapping[str, str],
    query: Mapping[str, str],
    body: bytes,
    now_seconds: float,
) -> bool:
    """Whether the request proves to know `secret`; True where the source has none.

    Nobody knows an empty secret.  Header names may be in any case; a missing or malformed proof is False.
    """
    if not secret:
        return secret is None
    lower = {name.lower(): value for name, value in headers.items()}
    return _CHECKS.get(preset, _tells)(
        secret, _Request(headers=lower, query=query, body=body, now=now_seconds)
    )


def delivery_id(headers: Mapping[str, str]) -> str | None:
    """The id of a delivery where the headers have one, else None.

    Idempotency-Key, webhook-id, and the signature of WPForms: its time and body are in it, and WPForms never
    sends one twice.
    """
    lower = {name.lower(): value.strip() for name, value in headers.items()}
    given = next(filter(None, (lower.get(name) for name in _IDS)), None)
    return given if given and len(given) <= _LONGEST_ID else None


def address(preset: Preset, url: str, secret: str | None) -> str:
    """The URL to paste into the product: one that signs nothing carries the secret in it."""
    return url if secret is None or preset in _CHECKS else f"{url}?token={quote(secret, safe='')}"


def _tells(secret: str, request: _Request) -> bool:
    """The secret itself, in one of the places senders have for it."""
    scheme, _, bearer = request.header("authorization").partition(" ")
    given = (
        request.query.get("token"),
        request.query.get("secret"),
        request.header("x-webhook-secret"),
        request.header("x-api-key"),
        bearer.strip() if scheme.lower() == "bearer" else None,
    )
    return any([_same(each, secret) for each in given if each])  # noqa: C419 - every one is compared


def _wpforms(secret: str, request: _Request) -> bool:
    match = _WPFORMS.fullmatch(request.header("x-wpforms-webhook-signature"))
    if match is None:
        return False
    return _same(match["signature"], _hmac(secret.encode(), match["time"].encode(), b".", request.body).hex())


def _webflow(secret: str, request: _Request) -> bool:
    time = request.header("x-webflow-timestamp")
    if not _DIGITS.fullmatch(time):
        return False
    expected = _hmac(secret.encode(), time.encode(), b":", request.body).hex()
    return _same(request.header("x-webflow-signature"), expected)


def _typeform(secret: str, request: _Request) -> bool:
    expected = f"sha256={_base64(_hmac(secret.encode(), request.body))}"
    return _same(request.header("typeform-signature"), expected)


def _tally(secret: str, request: _Request) -> bool:
    return _same(request.header("tally-signature"), _base64(_hmac(secret.encode(), request.body)))


def _google_ads(secret: str, request: _Request) -> bool:
    try:
        given = tree_of(request.header("content-type"), request.body).get("google_key")
    except Unreadable:
        return False
    return isinstance(given, str) and _same(given, secret)


def _ours(secret: str, request: _Request) -> bool:
    """Standard Webhooks where it is signed, else the secret itself.

    Our own few lines: `standardwebhooks` takes the time of its check from the clock and raises three kinds of
    errors for malformed headers.
    """
    signatures = request.header("webhook-signature")
    if not signatures:
        return _tells(secret, request)
    id, time = request.header("webhook-id"), request.header("webhook-timestamp")
    if not id or not _DIGITS.fullmatch(time) or not request.is_recent(int(time)):
        return False
    signed = b".".join((id.encode(errors="replace"), time.encode(), request.body))
    expected = [f"v1,{_base64(_hmac(key, signed))}" for key in _standard_keys(secret)]
    return any([_same(given, each) for given in signatures.split() for each in expected])  # noqa: C419 - likewise


def _standard_keys(secret: str) -> list[bytes]:
    """The secret as it is written (our script for Google Forms), and the base64 after `whsec_`."""
    keys = [secret.encode()]
    if secret.startswith("whsec_"):
        with suppress(binascii.Error):
            keys.append(base64.b64decode(secret.removeprefix("whsec_"), validate=True))
    return keys


def _hmac(key: bytes, *parts: bytes) -> bytes:
    return hmac.digest(key, b"".join(parts), hashlib.sha256)


def _base64(digest: bytes) -> str:
    return base64.b64encode(digest).decode()


def _same(given: str, expected: str) -> bool:
    return hmac.compare_digest(given.encode(errors="replace"), expected.encode(errors="replace"))


_CHECKS: dict[Preset, Check] = {
    Preset.WPFORMS: _wpforms,
    Preset.WEBFLOW: _webflow,
    Preset.TYPEFORM: _typeform,
    Preset.TALLY: _tally,
    Preset.GOOGLE_ADS: _google_ads,
    Preset.GENERIC: _ours,
    Preset.GOOGLE_FORMS: _ours,
}
