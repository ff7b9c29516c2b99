"""Proofs of the secret: each product's own, right, wrong and malformed."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook

from bot.hooks import Preset, address, authentic, delivery_id

SECRET = "test-secret"
NOW = 1_794_459_600
BODY = json.dumps({"name": "Тимур", "phone": "8 701 555 01 46"}).encode()


def proof(preset: Preset, secret: str = SECRET, body: bytes = BODY) -> dict[str, str]:
    """The headers with which each product proves the secret, by its own documentation."""

    def signed(text: bytes) -> bytes:
        return hmac.new(secret.encode(), text, hashlib.sha256).digest()

    match preset:
        case Preset.WPFORMS:
            return {"X-WPForms-Webhook-Signature": f"t={NOW},v={signed(b'%d.' % NOW + body).hex()}"}
        case Preset.WEBFLOW:
            time = f"{NOW}123"
            signature = signed(f"{time}:".encode() + body).hex()
            return {"x-webflow-timestamp": time, "x-webflow-signature": signature}
        case Preset.TYPEFORM:
            return {"Typeform-Signature": f"sha256={base64.b64encode(signed(body)).decode()}"}
        case Preset.TALLY:
            return {"Tally-Signature": base64.b64encode(signed(body)).decode()}
        case Preset.GENERIC | Preset.GOOGLE_FORMS:
            signature = base64.b64encode(signed(f"msg-1.{NOW}.".encode() + body)).decode()
            return {
                "webhook-id": "msg-1",
                "webhook-timestamp": str(NOW),
                "webhook-signature": f"v1,bm8= v1,{signature}",
            }
    return {"X-Webhook-Secret": secret}


def check(
    preset: Preset,
    headers: Mapping[str, str],
    *,
    body: bytes = BODY,
    query: Mapping[str, str] | None = None,
    secret: str | None = SECRET,
    now: float = NOW,
) -> bool:
    return authentic(preset, secret, headers, query or {}, body, now)


PROVEN_BY_HEADER = [preset for preset in Preset if preset is not Preset.GOOGLE_ADS]
SIGNED = [
    Preset.WPFORMS, Preset.WEBFLOW, Preset.TYPEFORM, Preset.TALLY, Preset.GENERIC, Preset.GOOGLE_FORMS,
]  # fmt: skip
UNSIGNED = [Preset.TILDA, Preset.CF7, Preset.ELEMENTOR, Preset.JOTFORM]


@pytest.mark.parametrize("preset", PROVEN_BY_HEADER)
def test_the_right_proof_opens_and_no_other(preset: Preset) -> None:
    """Its headers in any case; another secret, no headers and headers of another product do not."""
    headers = proof(preset)
    assert check(preset, headers)
    assert check(preset, {name.upper(): value for name, value in headers.items()})
    assert not check(preset, proof(preset, secret="another"))
    assert not check(preset, {})


@pytest.mark.parametrize("preset", SIGNED)
def test_a_signature_is_of_this_very_body(preset: Preset) -> None:
    """A changed body, even by one byte, is nobody's."""
    assert not check(preset, proof(preset), body=BODY + b" ")


@pytest.mark.parametrize(
    "preset", [Preset.WPFORMS, Preset.WEBFLOW, Preset.TYPEFORM, Preset.TALLY, Preset.GOOGLE_ADS]
)
def test_who_signs_has_to_sign(preset: Preset) -> None:
    """The secret in the address or in a header is no way round the signature."""
    assert not check(preset, {"X-Webhook-Secret": SECRET}, query={"token": SECRET})


@pytest.mark.parametrize("preset", [*UNSIGNED, Preset.GENERIC, Preset.GOOGLE_FORMS])
@pytest.mark.parametrize(
    ("headers", "query"),
    [
        ({"x-webhook-secret": SECRET}, {}),
        ({"X-Api-Key": SECRET}, {}),
        ({"Authorization": f"Bearer {SECRET}"}, {}),
        ({}, {"token": SECRET}),
        ({}, {"secret": SECRET}),
    ],
)
def test_who_cannot_sign_tells_the_secret(
    preset: Preset, headers: Mapping[str, str], query: Mapping[str, str]
) -> None:
    """In the address or a header, whichever the product has a box for."""
    assert check(preset, headers, query=query)
    wrong = {name: f"{value}x" for name, value in headers.items()}
    assert not check(preset, wrong, query={name: f"{value}x" for name, value in query.items()})


@pytest.mark.parametrize("preset", Preset)
def test_without_a_secret_the_token_of_the_url_is_all_and_an_empty_one_opens_nothing(preset: Preset) -> None:
    """None means that there is none; an empty one is a mistake, and fails closed."""
    assert check(preset, {}, secret=None)
    assert not check(preset, proof(preset, secret=""), secret="", query={"token": ""})


def test_google_ads_tells_its_key_in_the_body() -> None:
    """Only as a text at its place."""
    for key, opens in ((SECRET, True), ("another", False), (None, False), ([SECRET], False), (True, False)):
        body = json.dumps({"lead_id": "1", "google_key": key}).encode()
        assert check(Preset.GOOGLE_ADS, {}, body=body) is opens
    assert not check(Preset.GOOGLE_ADS, {}, body=b"{broken")


def test_a_standard_webhook_holds_five_minutes() -> None:
    """Before and after; other people's clocks are not asked where a repetition is known by its id."""
    for preset in SIGNED:
        strict = preset in (Preset.GENERIC, Preset.GOOGLE_FORMS)
        assert check(preset, proof(preset), now=NOW + 300)
        assert check(preset, proof(preset), now=NOW - 301) is not strict
        assert check(preset, proof(preset), now=NOW + 301) is not strict


def test_what_the_standards_own_library_signs_is_authentic() -> None:
    """A whsec_ secret is base64 there; the same one as plain text serves scripts that cannot decode."""
    from datetime import UTC, datetime

    secret = "whsec_" + base64.b64encode(b"thirty-two bytes of a shared key").decode()
    signature = Webhook(secret).sign("msg-1", datetime.fromtimestamp(NOW, UTC), BODY.decode())
    headers = {"webhook-id": "msg-1", "webhook-timestamp": str(NOW), "webhook-signature": signature}
    assert check(Preset.GENERIC, headers, secret=secret)
    assert check(Preset.GENERIC, proof(Preset.GENERIC, secret=secret), secret=secret)
    assert not check(Preset.GENERIC, headers, secret="whsec_not base64!")


@pytest.mark.parametrize("preset", PROVEN_BY_HEADER)
@given(data=st.data())
def test_a_malformed_proof_is_a_wrong_one(preset: Preset, data: st.DataObject) -> None:
    """Any text in the headers of a proof: False, never an error."""
    text = st.text(max_size=30) | st.sampled_from(
        ["t=,v=", "t=1,v=ab", "sha256=", "v1,", "9" * 400, "Bearer", "é"]
    )
    headers = {name: data.draw(text) for name in proof(preset)}
    assert not check(preset, headers, query={"token": data.draw(text)})


def test_a_delivery_is_told_by_its_headers() -> None:
    """A repetition has the same id; WPForms never repeats, so its signature is one."""
    assert delivery_id({"Idempotency-Key": "web-157"}) == "web-157"
    assert delivery_id(proof(Preset.GENERIC)) == "msg-1"
    assert delivery_id(proof(Preset.WPFORMS)) == proof(Preset.WPFORMS)["X-WPForms-Webhook-Signature"]
    assert delivery_id({"Content-Type": "text/plain", "Idempotency-Key": " "}) is None
    assert delivery_id({"Idempotency-Key": "x" * 500}) is None


def test_the_address_carries_the_secret_only_where_nothing_else_can() -> None:
    """Escaped, and back again as the query the server reads."""
    assert address(Preset.TILDA, "https://bot.example/hooks/a/T", "a&b c") == (
        "https://bot.example/hooks/a/T?token=a%26b%20c"
    )
    assert (
        address(Preset.TYPEFORM, "https://bot.example/hooks/a/T", SECRET) == "https://bot.example/hooks/a/T"
    )
    assert address(Preset.TILDA, "https://bot.example/hooks/a/T", None) == "https://bot.example/hooks/a/T"
