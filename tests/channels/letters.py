"""Leads and letters of these tests."""

from typing import Any

from agent.channels import ChannelKind, Letter, Route
from agent.phones import Confidence, Phone
from agent.runs import Lead

HELLO = "Сәлеметсіз бе! Өтінішіңізді алдық.\n.\nҚұрметпен, Әсел — ready by Friday & “exactly” 100 %"


def lead(**fields: Any) -> Lead:
    given: dict[str, Any] = {
        "id": 1,
        "contact_id": 1,
        "source": "website",
        "name": "Dana",
        "phone": None,
        "message": "We need a CRM.",
    }
    return Lead(**given | fields)


def phone(e164: str | None = "+77015550142", raw: str = "8 701 555 01 42") -> Phone:
    confidence = Confidence.SURE if e164 else Confidence.DOUBTFUL
    return Phone(raw=raw, e164=e164, extension=None, confidence=confidence)


def letter(
    kind: ChannelKind = ChannelKind.EMAIL, address: str = "dana@example.test", **fields: Any
) -> Letter:
    given: dict[str, Any] = {
        "lead": lead(emails=("dana@example.test",), phones=(phone(),)),
        "text": HELLO,
        "route": Route(kind=kind, address=address),
        "proposal_id": "P-12",
        "key": "P-12.0a1b2c",
    }
    return Letter(**given | fields)
