"""A model of keyword rules that works any typed lead without a network, and says that it is a stand-in.

It keeps nothing between calls: what it did so far is read from the request, as the real model does it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.sandbox import notes, wording
from bot.sandbox.notes import Fact
from bot.sandbox.reading import Matter, Reading, read
from bot.sandbox.record_model import RecordModel, classifies
from bot.sandbox.script import Call, Lead, Turn, call, labelled, lead_of, say, turn
from bot.sandbox.transcript import Json, blocks_of, turns
from bot.sandbox.transcript import Turn as MergedTurn
from bot.sandbox.vocabulary import Service

HISTORY, DEAL, REPLY, ESCALATE = LEAD_TOOLS = (
    "get_customer_history",
    "create_deal",
    "send_reply",
    "escalate_to_manager",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """One finished tool call and its result."""

    name: str
    input: Json
    result: str
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """All that a request tells: the lead, the tools on offer, what was done, and what the lead wrote when."""

    lead: Lead
    offered: frozenset[str]
    done: tuple[Done, ...]
    words: str
    new_words: str

    def did(self, name: str) -> bool:
        """Whether the tool `name` was called and worked."""
        return any(done.name == name and not done.failed for done in self.done)

    def tried(self, name: str) -> bool:
        """Whether the tool `name` was called at all."""
        return any(done.name == name for done in self.done)

    def can(self, name: str) -> bool:
        """Whether the tool `name` is offered and was not called yet."""
        return name in self.offered and not self.tried(name)

    @property
    def reading(self) -> Reading:
        """What all the lead's words together ask for."""
        return read(self.words, self.lead.name)

    @property
    def deals(self) -> dict[Service, str]:
        """The services that the customer has deals for, from the history or since, with the deals' ids."""
        return {service: ident for done in self.done for service, ident in _deals(done)}


class StandInModel:
    """Works leads as a careful clerk would who knows a few hundred words."""

    def reply(self, body: Json) -> Turn:
        """Return the next turn of the conversation `body`."""
        if classifies(body):
            return RecordModel().reply(body)
        case = case_of(body)
        if not case.offered.intersection(LEAD_TOOLS) or case.lead == Lead():
            return turn(say(notes.cannot(sorted(case.offered))))
        if calls := _next_calls(case):
            return turn(*calls)
        return turn(say(_closing(case)))


def case_of(body: Json) -> Case:
    """Return what the request `body` tells."""
    merged = turns(body)
    lead = lead_of(body)
    written = [[text for value in _messages(turn) for text in _texts(value)] for turn in merged]
    done = tuple(_done(body))
    acted = any(step.name != HISTORY for step in done)
    return Case(
        lead=lead,
        offered=frozenset(str(tool.get("name")) for tool in body.get("tools") or []),
        done=done,
        words="\n".join([lead.message, *(text for texts in written for text in texts)]),
        new_words="\n".join(written[-1]) if acted else "",
    )


def _next_calls(case: Case) -> Sequence[Call]:
    if case.can(HISTORY) and not case.done:
        return [call(HISTORY)]
    if all(done.name == HISTORY for done in case.done):
        return _plan(case, case.words)
    if case.new_words:
        return _plan(case, case.new_words)
    return _after_trouble(case)


def _plan(case: Case, words: str) -> Sequence[Call]:
    reading = read(words, case.lead.name)
    if reading.matter.suspicious:
        return _escalation(case, reading, words)
    if case.new_words and not _pressing(case, reading):
        return []
    if reading.matter is Matter.SERVICE:
        return _service_calls(case, reading, words)
    if reading.matter is Matter.THANKS and case.deals and REPLY in case.offered:
        return _answer(case, wording.question_reply(reading, case.lead.name, known_customer=True))
    escalation = _escalation(case, reading, words)
    return [*escalation, *_answer(case, _question(case, reading, words, told=bool(escalation)))]


def _pressing(case: Case, reading: Reading) -> bool:
    """Whether words that came in between need an answer: they ask for a person, or for one more deal."""
    wants_more = reading.matter is Matter.SERVICE and not case.deals.keys() >= set(reading.services)
    return wants_more or reading.matter in (Matter.HUMAN, Matter.COMPLAINT, Matter.CANCEL)


def _question(case: Case, reading: Reading, words: str, *, told: bool) -> str:
    """Return the reply to a lead without a new request; `told` where a manager is told in the same turn."""
    if case.deals and (reading.price or reading.deadline):
        asked = replace(reading, services=tuple(case.deals))
        return wording.service_reply(asked, case.lead.name, words, known=True)
    honest = reading if told or case.did(ESCALATE) else replace(reading, matter=Matter.GREETING)
    return wording.question_reply(honest, case.lead.name, known_customer=bool(case.deals))


def _service_calls(case: Case, reading: Reading, words: str) -> Sequence[Call]:
    new = [service for service in reading.services if service not in case.deals]
    if new and case.can(DEAL):
        deal = call(DEAL, {"service": new[0].value, "summary": notes.summary(reading, new[0], words)})
        first: Sequence[Call] = [deal]
    elif new:
        first = _escalation(case, reading, words)
    else:
        first = []
    text = wording.service_reply(reading, case.lead.name, words, known=not new)
    return [*first, *_answer(case, text)]


def _escalation(case: Case, reading: Reading, words: str) -> Sequence[Call]:
    return _escalate(case, notes.reason(reading, words))


def _escalate(case: Case, reason: str) -> Sequence[Call]:
    return [call(ESCALATE, {"reason": reason})] if case.can(ESCALATE) else []


def _answer(case: Case, text: str) -> Sequence[Call]:
    """A reply that a person turned down, or that failed, is not followed by another."""
    if REPLY not in case.offered or any(done.name == REPLY and done.failed for done in case.done):
        return []
    return [call(REPLY, {"text": text})]


def _after_trouble(case: Case) -> Sequence[Call]:
    """A failed result may say to escalate; one that a person rejected does not."""
    for done in case.done:
        if done.failed and "escalate" in done.result.casefold():
            return _escalate(case, notes.trouble(case.reading, done.name, case.words))
    return []


def _closing(case: Case) -> str:
    facts = [fact for done in case.done for fact in _facts(done)]
    if not facts:
        facts = [(Fact.NOTHING, "")]
    if case.deals and not case.tried(DEAL) and not case.tried(ESCALATE):
        facts.insert(0, (Fact.KNOWN_DEAL, ", ".join(case.deals.values())))
    if case.new_words:
        facts.append((Fact.WROTE_AGAIN, f"«{notes.shorten(case.new_words, 100)}»"))
    if any(done.failed for done in case.done if done.name != HISTORY):
        facts.append((Fact.TAKE_OVER, ""))
    return notes.closing(case.reading, facts)


def _facts(done: Done) -> Iterator[tuple[Fact, str]]:
    match done.name, done.failed:
        case "create_deal", False:
            yield Fact.DEAL, f"{_field(done.result, 'deal_id')} ({done.input.get('service')})"
        case "create_deal", True:
            yield Fact.NO_DEAL, ""
        case "send_reply", False:
            yield Fact.SENT, ""
        case "send_reply", True:
            yield _why_unsent(done.result.casefold()), ""
        case "escalate_to_manager", False:
            yield Fact.ESCALATED, ""
        case "escalate_to_manager", True:
            yield Fact.NOT_ESCALATED, ""
        case _:
            pass


def _why_unsent(result: str) -> Fact:
    if "reject" in result or "denied" in result:
        return Fact.REJECTED
    if "expired" in result or "in time" in result:
        return Fact.EXPIRED
    return Fact.UNCERTAIN if "uncertain" in result or "not known" in result else Fact.NOT_SENT


def _messages(turn: MergedTurn) -> Iterator[Any]:
    """Yield the JSON behind the labels of what the lead wrote after the task was set."""
    yield from (value for label, value in labelled(turn) if "message" in label)


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts in a message's JSON, whatever its form: a text, a list of messages, or an object."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        yield from _texts(value.get("text") or value.get("message"))


def _done(body: Json) -> Iterator[Done]:
    blocks = [block for turn in turns(body) for block in turn.blocks]
    results = {block["tool_use_id"]: block for block in blocks if block["type"] == "tool_result"}
    for block in blocks:
        if block["type"] == "tool_use" and block["id"] in results:
            result = results[block["id"]]
            text = "\n".join(part.get("text", "") for part in blocks_of(result.get("content")))
            failed = result.get("is_error", False) or text.startswith("ERROR")
            yield Done(name=block["name"], input=block["input"], result=text, failed=failed)


def _deals(done: Done) -> Iterator[tuple[Service, str]]:
    found: Any = None
    if done.name == HISTORY and not done.failed:
        found = _json(done.result)
    elif done.name == DEAL and not done.failed:
        found = {"deals": [done.input | {"deal_id": _field(done.result, "deal_id")}]}
    deals = found.get("deals") if isinstance(found, dict) else None
    for deal in deals if isinstance(deals, list) else ():
        if isinstance(deal, dict) and deal.get("service") in list(Service):
            yield Service(deal["service"]), str(deal.get("deal_id", ""))


def _field(text: str, name: str) -> str:
    found = _json(text)
    return str(found.get(name, "")) if isinstance(found, dict) else ""


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
