"""Rows of leads."""

import json
from dataclasses import replace

from agent.errors import NotFound
from agent.jsontext import JsonObject, dumps
from agent.likeness import likeness
from agent.phones import Confidence, Phone
from agent.runs import Lead
from agent.sources import Origin
from agent.views import LeadView
from storage.sql import Row, Sql


def lead_of(row: Row) -> Lead:
    return Lead(
        id=row["id"],
        contact_id=row["contact_id"],
        source=row["source"],
        name=row["name"],
        phone=row["phone"],
        message=row["message"],
        telegram_id=row["telegram_id"],
        phones=tuple(_phone_of(phone) for phone in json.loads(row["phones"])),
        emails=tuple(json.loads(row["emails"])),
        raw_only=bool(row["raw_only"]),
        spam=bool(row["spam"]),
    )


def _phone_of(stored: JsonObject) -> Phone:
    return Phone(
        raw=stored["raw"],
        e164=stored["e164"],
        extension=stored["extension"],
        confidence=Confidence(stored["confidence"]),
    )


def _phone_json(phone: Phone) -> JsonObject:
    return {
        "raw": phone.raw,
        "e164": phone.e164,
        "extension": phone.extension,
        "confidence": phone.confidence.value,
    }


class Leads:
    """Every request of a person, whichever way it came."""

    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    def add(self, lead: Lead, at: int, origin: Origin | None = None) -> Lead:
        """The lead with its id, as spam if it says what spam has said.  origin: of one that was posted."""
        row = self._sql.one(
            "add_lead",
            contact_id=lead.contact_id,
            source=lead.source,
            name=lead.name,
            phone=lead.phone,
            message=lead.message,
            phones=dumps([_phone_json(phone) for phone in lead.phones]),
            emails=dumps(list(lead.emails)),
            raw_only=lead.raw_only,
            source_id=origin.source.id if origin else None,
            provider_id=origin.provider_id if origin else None,
            content_hash=origin.content_hash if origin else None,
            form=origin.form if origin else None,
            likeness=likeness(lead.message),
            at=at,
        )
        return replace(lead, id=row["id"], spam=bool(row["spam"]))

    def get(self, id: int) -> Lead:
        """NotFound if there is no such lead."""
        row = self._sql.maybe("lead", id=id)
        if row is None:
            raise NotFound(f"no lead {id}")
        return lead_of(row)

    def first(self, origin: Origin, *, since: int) -> int | None:
        """The id of the lead that was posted before with the same id of the product.

        Where the product gives none: of the first with the same content that was posted `since` then (ms).
        """
        if origin.provider_id is not None:
            row = self._sql.maybe(
                "lead_of_provider", source_id=origin.source.id, provider_id=origin.provider_id
            )
        else:
            row = self._sql.maybe(
                "lead_of_content", source_id=origin.source.id, content_hash=origin.content_hash, since=since
            )
        return int(row["id"]) if row else None

    def latest(self, limit: int) -> list[LeadView]:
        """Newest first."""
        rows = self._sql.all("latest_leads", limit=limit)
        return [
            LeadView(
                lead=lead_of(row),
                standing=row["standing"],
                created_at=row["created_at"],
                waits_until=row["waits_until"],
            )
            for row in rows
        ]
