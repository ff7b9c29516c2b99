"""What is told, and when: with what it tells of, or not at all."""

import json
from dataclasses import replace

import pytest

from agent.errors import NotSent, OutcomeUnknown
from agent.events import EventType, SubscriptionState
from agent.jsontext import JsonObject
from agent.proposals import Verdict
from agent.runs import Person
from bot.sandbox.script import call, say, turn
from storage.transaction import SqliteTransaction
from tests.company import HELLO, NEW_DEAL, OLGA, SECOND, Company, deal, reply
from tests.events.conftest import Wire

LEAD: JsonObject = {
    "id": "L-1",
    "source": "telegram",
    "name": "Dana",
    "phone": None,
    "phones": [],
    "emails": [],
    "message": "We need a CRM for our clinic.",
}
WHO = {"id": OLGA.id, "name": OLGA.name}
REPLY = {"proposal_id": "P-1", "text": HELLO, "channel": "telegram"}


async def data_of(wire: Wire, type: EventType) -> JsonObject:
    """The data of the one event of that type; its envelope is what Standard Webhooks wants."""
    (found,) = [delivery for delivery in await wire.log() if delivery.type is type]
    body = json.loads(found.body)
    assert list(body) == ["type", "timestamp", "data"]
    assert body["type"] == type
    data: JsonObject = body["data"]
    return data


async def test_the_story_of_a_lead_is_told_in_its_order(company: Company, wire: Wire) -> None:
    """From its words to the end of the run, each event with all that it is about."""
    await wire.subscribe()
    run, _ = await company.waiting(turn(deal(), reply()), turn(say("Done.")))
    await company.settle(run, Verdict.APPROVE)
    assert await wire.told() == [
        "lead.created",
        "deal.created",
        "reply.approved",
        "reply.delivered",
        "run.finished",
    ]
    assert await data_of(wire, EventType.LEAD_CREATED) == {"lead": LEAD}
    created = await data_of(wire, EventType.DEAL_CREATED)
    assert created == {"lead": LEAD, "run_id": "run-1", "deal": {"deal_id": "D-1", **NEW_DEAL}}
    approved = await data_of(wire, EventType.REPLY_APPROVED)
    assert approved == {"lead": LEAD, "run_id": "run-1", "reply": REPLY, "approved_by": WHO}
    delivered = await data_of(wire, EventType.REPLY_DELIVERED)
    assert delivered == {"lead": LEAD, "run_id": "run-1", "reply": REPLY, "settled_by": None}
    finished = await data_of(wire, EventType.RUN_FINISHED)
    assert finished["run"] == {
        "run_id": "run-1",
        "agent": "lead",
        "status": "done",
        "reason": None,
        "text": "Done.",
        "steps": 2,
        "tokens": finished["run"]["tokens"],
    }


async def test_more_words_and_a_hand_over_are_told(company: Company, wire: Wire) -> None:
    """What the lead wrote while the run was open, once the run has read it; why a person is needed."""
    await wire.subscribe()
    run, _ = await company.waiting(
        turn(reply()), turn(call("escalate_to_manager", {"reason": "Wants a discount."})), turn(say("Over."))
    )
    await company.write("And a website, please.")
    await company.begin()
    await company.work(run)
    assert await wire.told() == ["lead.created", "lead.updated", "lead.escalated", "run.finished"]
    updated = await data_of(wire, EventType.LEAD_UPDATED)
    (words,) = updated["messages"]
    assert (words["kind"], words["text"]) == ("text", "And a website, please.")
    escalated = await data_of(wire, EventType.LEAD_ESCALATED)
    assert escalated == {"lead": LEAD, "run_id": "run-1", "reason": "Wants a discount."}


async def test_only_what_is_wanted_is_written(company: Company, wire: Wire) -> None:
    """Each subscription gets its own types; what nobody wants is no row at all."""
    first = await wire.subscribe("http://127.0.0.1:9/1", EventType.LEAD_CREATED)
    second = await wire.subscribe("http://127.0.0.1:9/2", EventType.RUN_FINISHED, EventType.LEAD_CREATED)
    company.script(turn(deal()), turn(say("Done.")))
    await company.work(await company.lead())
    told = [(delivery.subscription_id, delivery.type.value) for delivery in await wire.log()]
    assert told == [(first, "lead.created"), (second, "lead.created"), (second, "run.finished")]
    assert company.tamper("SELECT count(*) FROM events") == [(2,)]


async def test_without_a_subscription_nothing_is_written(company: Company, wire: Wire) -> None:
    """Nor once the last one was removed."""
    id = await wire.subscribe()
    await company.store.transaction(lambda tx: tx.subscriptions.end(id, SubscriptionState.REMOVED, "by hand"))
    run, _ = await company.waiting()
    await company.settle(run, Verdict.APPROVE)
    assert company.tamper("SELECT * FROM events") == []


async def test_what_is_undone_is_not_told(company: Company, wire: Wire) -> None:
    """A transaction that fails leaves no event, and one that adds a subscription and fails adds none."""

    class Broken(Exception):
        pass

    def fail(tx: SqliteTransaction) -> None:
        company.say(tx, "Hello?", 78, "Aida")
        (contact,) = tx.contacts.due_bursts(company.clock())
        assert tx.contacts.close_burst(contact, company.clock()) is not None
        raise Broken

    def subscribe(tx: SqliteTransaction) -> None:
        tx.subscriptions.add("http://127.0.0.1:9/", "whsec_x", frozenset(), 0)
        assert len(tx.subscriptions.wanting(EventType.LEAD_CREATED)) == 1
        raise Broken

    with pytest.raises(Broken):
        await company.store.transaction(subscribe)
    await company.lead()
    assert await wire.told() == []
    await wire.subscribe()
    with pytest.raises(Broken):
        await company.store.transaction(fail)
    assert await wire.told() == []


async def test_an_approval_is_told_when_it_cannot_be_taken_back(company: Company, wire: Wire) -> None:
    """Not while Undo would work, and once, however often the sending is tried."""
    await wire.subscribe("http://127.0.0.1:9/", EventType.REPLY_APPROVED, EventType.REPLY_DELIVERED)
    company.policy = replace(company.policy, undo=10 * SECOND)
    company.deploy(company.agent)
    run, _ = await company.waiting()
    await company.settle(run, Verdict.APPROVE)
    assert await wire.told() == []
    await company.settle(run, Verdict.UNDO)
    await company.settle(run, Verdict.APPROVE)
    company.channel.faults.append(NotSent("flood control"))
    for _ in range(2):
        company.clock.forward(60 * SECOND)
        await company.due()
        await company.work(run)
    assert await wire.told() == ["reply.approved", "reply.delivered"]


async def test_what_a_person_settled_is_told_as_settled(company: Company, wire: Wire) -> None:
    """The channel gave no receipt: the event says who says that it arrived."""
    await wire.subscribe("http://127.0.0.1:9/", EventType.REPLY_DELIVERED)
    run, _ = await company.waiting()
    company.channel.faults.append(OutcomeUnknown("lost"))
    await company.settle(run, Verdict.APPROVE)
    assert await wire.told() == []
    await company.settle(run, Verdict.WAS_SENT, Person(id=2, name="Igor"))
    delivered = await data_of(wire, EventType.REPLY_DELIVERED)
    assert delivered["settled_by"] == {"id": 2, "name": "Igor"}
