"""Bitrix24 as the other CRM: contacts, deals and comments, each found before it is added."""

from collections.abc import Mapping, Sequence
from typing import Any

from agent.crm_link import Closed
from agent.deals import Stage
from agent.errors import OutcomeUnknown, Undeliverable
from agent.jsontext import JsonObject
from bot.crm.bitrix24_api import Bitrix24Api
from bot.crm.records import ContactRecord, CrmClosed, DealRecord, NoteRecord, Saved

# crm.duplicate.findbycomm.
MOST_VALUES = 20
# The name of a contact there.
LONGEST_NAME = 50


class Bitrix24:
    """See bot.crm.records.OutsideCrm.  origin: what this database is called there."""

    def __init__(self, api: Bitrix24Api, origin: str, stages: Mapping[Stage, str]) -> None:
        self._api = api
        self._origin = origin
        self._stages = stages

    async def close(self) -> None:
        await self._api.close()

    # --- contacts

    async def save_contact(self, contact: ContactRecord, known: Saved | None) -> Saved:
        sent: JsonObject = {
            "NAME": contact.full_name[:LONGEST_NAME],
            "PHONE": list(contact.phones),
            "EMAIL": list(contact.emails),
        }
        if known is not None and known.sent == sent:
            return known
        found = await self._contact(contact, known)
        if found is None:
            added = await self._api.call("crm.contact.add", {"fields": self._new_contact(contact, sent)})
            return Saved(id=_id(added), sent=sent)
        if fields := self._changes(contact, sent, found):
            await self._api.call("crm.contact.update", {"id": found["ID"], "fields": fields})
        return Saved(id=str(found["ID"]), sent=sent)

    def _changes(self, contact: ContactRecord, sent: JsonObject, found: JsonObject) -> JsonObject:
        """Whoever was there before us keeps their name, and gets no number that anybody may have typed."""
        ours = found.get("ORIGINATOR_ID") == self._origin
        phones, emails = (
            [value for value in values if ours or value in contact.verified]
            for values in (contact.phones, contact.emails)
        )
        fields = {**_missing(found, "PHONE", phones), **_missing(found, "EMAIL", emails)}
        if ours and found.get("NAME") != sent["NAME"]:
            fields["NAME"] = sent["NAME"]
        return fields

    def _new_contact(self, contact: ContactRecord, sent: JsonObject) -> JsonObject:
        fields: JsonObject = {
            "NAME": sent["NAME"],
            **self._origin_of(contact.name),
            "PHONE": _multiple(contact.phones),
            "EMAIL": _multiple(contact.emails),
        }
        if contact.telegram:
            fields["IM"] = [{"VALUE": contact.telegram, "VALUE_TYPE": "TELEGRAM"}]
        return fields

    async def _contact(self, contact: ContactRecord, known: Saved | None) -> JsonObject | None:
        """By its id, by its name with us, by its numbers; None if it is not there."""
        if known is not None and (found := await self._first_contact({"ID": known.id})):
            return found
        if found := await self._first_contact(self._ours(contact.name)):
            return found
        id = await self._alike("PHONE", contact.phones) or await self._alike("EMAIL", contact.emails)
        return await self._first_contact({"ID": id}) if id else None

    async def _first_contact(self, filter: JsonObject) -> JsonObject | None:
        select = ["ID", "NAME", "ORIGINATOR_ID", "PHONE", "EMAIL"]
        return await self._first("crm.contact.list", filter, select)

    async def _alike(self, type: str, values: Sequence[str]) -> int | None:
        """The oldest contact that has one of the values, the surest value first."""
        for value in values[:MOST_VALUES]:
            asked = {"type": type, "values": [value], "entity_type": "CONTACT"}
            found = await self._api.call("crm.duplicate.findbycomm", asked)
            if ids := _contact_ids(found):
                return min(ids)
        return None

    # --- deals

    async def save_deal(self, deal: DealRecord, contact: Saved, known: Saved | None) -> Saved:
        """One that was deleted there stays so: Undeliverable."""
        stage = self._stages[deal.stage]
        sent: JsonObject = {
            "TITLE": deal.title,
            "STAGE_ID": stage,
            "CONTACT_IDS": [contact.id],
            "COMMENTS": _plain(deal.comments),
        }
        if known is not None and known.sent == sent:
            return known
        found = await self._first("crm.deal.list", self._ours(deal.name), ["ID"])
        if found is None:
            return await self._add_deal(deal.name, sent, known)
        before = known.sent if known is not None else {}
        fields = {field: value for field, value in sent.items() if before.get(field) != value}
        await self._api.call("crm.deal.update", {"id": found["ID"], "fields": fields})
        return Saved(id=str(found["ID"]), sent=sent)

    async def _add_deal(self, name: str, sent: JsonObject, known: Saved | None) -> Saved:
        if known is not None:
            raise Undeliverable(f"{name} was deleted there, where it was {known.id}")
        fields = {**sent, "CATEGORY_ID": category_of(sent["STAGE_ID"]), **self._origin_of(name)}
        added = await self._api.call("crm.deal.add", {"fields": fields})
        return Saved(id=_id(added), sent=sent)

    # --- notes

    async def save_note(self, note: NoteRecord, deal: Saved) -> Saved:
        """A comment has no field for where it comes from, so its last line says it."""
        place: JsonObject = {"ENTITY_ID": deal.id, "ENTITY_TYPE": "deal"}
        mark = f"{self._origin} {note.name}"
        asked = {"filter": place, "select": ["ID", "COMMENT"], "order": {"ID": "DESC"}}
        for comment in _objects(await self._api.call("crm.timeline.comment.list", asked)):
            if mark in str(comment.get("COMMENT")).splitlines():
                return Saved(id=str(comment["ID"]), sent={})
        words = f"{_plain(note.text)}\n{mark}"
        added = await self._api.call("crm.timeline.comment.add", {"fields": {**place, "COMMENT": words}})
        return Saved(id=_id(added), sent={})

    # ---

    async def check(self) -> str:
        """Whether it may be read and knows the stages."""
        for category in sorted({category_of(stage) for stage in self._stages.values()}):
            entity = f"DEAL_STAGE_{category}" if category else "DEAL_STAGE"
            found = await self._api.call("crm.status.list", {"filter": {"ENTITY_ID": entity}})
            there = {str(status["STATUS_ID"]) for status in _objects(found, "STATUS_ID")}
            mine = [stage for stage in self._stages.values() if category_of(stage) == category]
            if missing := [stage for stage in mine if stage not in there]:
                named = ", ".join(sorted(there)) or "none"
                words = f"BITRIX24_STAGES: there is no stage {', '.join(missing)}; there are {named}"
                raise CrmClosed(Closed.STAGES, words)
        await self._first("crm.deal.list", self._ours("D-0"), ["ID"])
        return f"{self._api.host} takes contacts, deals and comments"

    def _ours(self, name: str) -> JsonObject:
        return {"=ORIGINATOR_ID": self._origin, "=ORIGIN_ID": name}

    def _origin_of(self, name: str) -> JsonObject:
        return {"ORIGINATOR_ID": self._origin, "ORIGIN_ID": name}

    async def _first(self, method: str, filter: JsonObject, select: list[str]) -> JsonObject | None:
        asked = {"filter": filter, "select": select, "order": {"ID": "ASC"}}
        found = _objects(await self._api.call(method, asked))
        return found[0] if found else None


def category_of(stage: str) -> int:
    """The funnel that a stage belongs to: C1:NEW is of the first, NEW of the general one (0)."""
    funnel, colon, _ = stage.partition(":")
    return int(funnel[1:]) if colon and funnel[1:].isdecimal() else 0


def _objects(found: Any, field: str = "ID") -> list[JsonObject]:
    """OutcomeUnknown for anything but a list of objects that have the field."""
    if not isinstance(found, list) or not all(isinstance(item, dict) and field in item for item in found):
        raise OutcomeUnknown("Bitrix24 gave no list where it should")
    return found


def _contact_ids(found: Any) -> list[int]:
    """What findbycomm found, an empty list if nothing; OutcomeUnknown for an answer of another shape."""
    ids = found.get("CONTACT", []) if isinstance(found, dict) else found
    if not isinstance(ids, list) or not all(str(id).isdecimal() for id in ids):
        raise OutcomeUnknown("Bitrix24 gave no ids where it should")
    return [int(id) for id in ids]


def _id(added: Any) -> str:
    """OutcomeUnknown for an answer without an id."""
    if not isinstance(added, int) or isinstance(added, bool):
        raise OutcomeUnknown("Bitrix24 gave no id for what was added")
    return str(added)


def _multiple(values: Sequence[str]) -> list[JsonObject]:
    return [{"VALUE": value, "VALUE_TYPE": "WORK"} for value in values]


def _missing(found: JsonObject, field: str, values: Sequence[str]) -> JsonObject:
    """The values that the contact there does not have; numbers may be written in any way there."""
    there = {_bare(str(item.get("VALUE"))) for item in found.get(field) or []}
    new = [value for value in values if _bare(value) not in there]
    return {field: _multiple(new)} if new else {}


def _bare(value: str) -> str:
    if "@" in value:
        return value.casefold()
    digits = "".join(filter(str.isdecimal, value))
    return f"7{digits[1:]}" if len(digits) == 11 and digits.startswith("8") else digits


def _plain(text: str) -> str:
    """Words of others, without what Bitrix24 takes for markup (BB codes: links, pictures)."""
    return text.replace("[", "［").replace("]", "］")
