"""Deliveries over real HTTP: signed, in order for each lead, again after a fault, and no other held up."""

from contextlib import AsyncExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.clock import now
from agent.events import DeliveryState, EventType, SubscriptionState
from bot.deliveries import AT_ONCE, GONE_FOR_GOOD, HOUR, JITTER, MINUTE, SECOND, WAITS, next_wait
from bot.sandbox.script import say, turn
from tests.company import Company, deal
from tests.events.conftest import Wire
from tests.receiver import open_receiver

READY, BEHIND, DELIVERED = DeliveryState.READY, DeliveryState.BEHIND, DeliveryState.DELIVERED
FAILED, DROPPED = DeliveryState.FAILED, DeliveryState.DROPPED
DAY = 24 * HOUR


async def work(company: Company, name: str = "Dana", id: int = 77) -> None:
    """A lead with a deal: three events, of which the third ends its run."""
    company.script(turn(deal()), turn(say("Done.")))
    await company.work(await company.lead(telegram_id=id, name=name))


async def test_events_arrive_in_their_order(company: Company, wire: Wire) -> None:
    """Each under an id of its own, with its type and data, and the log tells when and how."""
    async with open_receiver() as receiver, wire.delivering():
        await wire.subscribe(receiver.url)
        await work(company)
        log = await wire.until(DELIVERED, DELIVERED, DELIVERED)
    assert [body["type"] for body in receiver.bodies] == ["lead.created", "deal.created", "run.finished"]
    assert receiver.ids == [delivery.key for delivery in log]
    assert len(set(receiver.ids)) == 3
    assert [(delivery.status, delivery.error, delivery.attempts) for delivery in log] == [(200, None, 1)] * 3


async def test_a_try_that_failed_is_made_again_with_the_same_id(company: Company, wire: Wire) -> None:
    """After 5 s, then longer and longer; the same webhook-id and the same bytes."""
    async with open_receiver() as receiver, wire.delivering():
        receiver.answers.extend([500, 404, 200])
        await wire.subscribe(receiver.url, EventType.LEAD_CREATED)
        await company.lead()
        (first,) = await wire.until(READY, attempts=1)
        assert (first.status, first.error) == (500, "answered 500")
        wait = first.not_before - company.clock()
        assert 4 * SECOND <= wait <= 6 * SECOND
        await wire.later(wait - 1)
        assert len(receiver.ids) == 1
        await wire.later(1)
        (second,) = await wire.until(READY, attempts=2)
        assert second.not_before - company.clock() >= 24 * SECOND
        await wire.later(MINUTE)
        await wire.until(DELIVERED, attempts=3)
    assert len(set(receiver.ids)) == len(set(receiver.raw)) == 1
    assert len(receiver.ids) == 3


async def test_the_order_of_a_lead_is_kept_and_no_other_lead_waits(company: Company, wire: Wire) -> None:
    """While the first event of a lead fails, its later ones wait; those of another lead arrive."""
    async with open_receiver() as receiver, wire.delivering():
        receiver.answers.append(503)
        await wire.subscribe(receiver.url)
        await work(company)
        await wire.until(READY, BEHIND, BEHIND, attempts=1)
        await work(company, "Aida", 78)
        await wire.until(READY, BEHIND, BEHIND, DELIVERED, DELIVERED, DELIVERED)
        await wire.later(6 * SECOND)
        await wire.until(*[DELIVERED] * 6)
    leads = [body["data"]["lead"]["name"] for body in receiver.bodies]
    assert leads == ["Dana", *["Aida"] * 3, *["Dana"] * 3]
    dana = [body["type"] for body in receiver.bodies if body["data"]["lead"]["name"] == "Dana"]
    assert dana == ["lead.created", "lead.created", "deal.created", "run.finished"]


async def test_a_slow_receiver_holds_up_no_other(company: Company, wire: Wire) -> None:
    """It gets a few tries at a time; the other one gets everything meanwhile."""
    async with AsyncExitStack() as stack:
        slow = await stack.enter_async_context(open_receiver())
        quick = await stack.enter_async_context(open_receiver())
        slow.door.clear()
        await wire.subscribe(slow.url, EventType.LEAD_CREATED)
        await wire.subscribe(quick.url, EventType.LEAD_CREATED)
        await stack.enter_async_context(wire.delivering())
        leads = AT_ONCE + 2
        for number in range(leads):
            await company.lead(telegram_id=100 + number)
        await quick.until(lambda it: len(it.ids) == leads)
        await slow.until(lambda it: len(it.ids) == AT_ONCE)
        slow.door.set()
        await wire.until(*[DELIVERED] * 2 * leads)
        assert len(slow.ids) == len(set(slow.ids)) == leads


async def test_410_ends_a_subscription(company: Company, wire: Wire) -> None:
    """What was on its way to it is dropped, it is told nothing more; added again it begins anew."""
    async with open_receiver() as receiver, wire.delivering():
        receiver.answers.append(410)
        id = await wire.subscribe(receiver.url)
        receiver.door.clear()
        await work(company)
        await wire.until(READY, BEHIND, BEHIND)
        receiver.door.set()
        await wire.until(FAILED, DROPPED, DROPPED)
        await work(company, "Aida", 78)
        assert len(await wire.log()) == 3
        ended = await company.store.read(lambda tx: tx.subscriptions.get(id))
        assert (ended.state, ended.reason) == (SubscriptionState.DISABLED, GONE_FOR_GOOD)
        assert await wire.subscribe(receiver.url) == id
        await company.lead(telegram_id=79)
        await wire.until(FAILED, DROPPED, DROPPED, DELIVERED)


async def test_a_receiver_says_when_to_come_back(company: Company, wire: Wire) -> None:
    """Retry-After goes before a shorter wait of our own."""
    async with open_receiver(headers={"Retry-After": "600"}) as receiver, wire.delivering():
        receiver.answers.append(429)
        await wire.subscribe(receiver.url, EventType.LEAD_CREATED)
        await company.lead()
        (put_off,) = await wire.until(READY, attempts=1)
        assert put_off.not_before == company.clock() + 10 * MINUTE


async def test_a_dead_receiver_is_given_up_after_days(company: Company, wire: Wire) -> None:
    """Then the next event of the lead has its turn, and by hand the old one goes out after all."""
    company.clock.at = now()
    async with open_receiver() as receiver:
        url = receiver.url
    await wire.subscribe(url, EventType.LEAD_CREATED, EventType.RUN_FINISHED)
    began = company.clock()
    async with wire.delivering():
        await work(company)
        for attempt in range(1, len(WAITS) + 1):
            (waiting, _) = await wire.until(READY, BEHIND, attempts=attempt)
            await wire.later(waiting.not_before - company.clock())
        given_up, _ = await wire.until(FAILED, READY)
        assert (given_up.attempts, given_up.status) == (len(WAITS) + 1, None)
        assert "cannot be reached" in (given_up.error or "")
        assert 2 * DAY < company.clock() - began < 4 * DAY


async def test_by_hand_an_event_goes_out_again(company: Company, wire: Wire) -> None:
    """A delivered one too, with the same webhook-id and body; not ahead of an earlier one that waits."""
    async with open_receiver() as receiver, wire.delivering():
        await wire.subscribe(receiver.url)
        await work(company)
        first, *_ = await wire.until(DELIVERED, DELIVERED, DELIVERED)
        assert await company.store.transaction(lambda tx: tx.deliveries.renew(first))
        await receiver.until(lambda it: len(it.ids) == 4)
        assert (receiver.ids[3], receiver.raw[3]) == (receiver.ids[0], receiver.raw[0])
        await wire.until(DELIVERED, DELIVERED, DELIVERED)
        receiver.door.clear()
        await work(company, "Aida", 78)
        *_, last = await wire.until(*[DELIVERED] * 3, READY, BEHIND, BEHIND)
        assert not await company.store.transaction(lambda tx: tx.deliveries.renew(last))
        receiver.door.set()


async def test_a_try_cut_off_is_made_again(company: Company, wire: Wire) -> None:
    """A restart in the middle: the receiver gets the event twice, and can tell by its id."""
    async with open_receiver() as receiver:
        await wire.subscribe(receiver.url, EventType.LEAD_CREATED)
        receiver.door.clear()
        async with wire.delivering():
            await company.lead()
            await receiver.until(lambda it: it.ids)
        receiver.door.set()
        await company.restart()
        async with wire.delivering():
            await wire.until(DELIVERED)
    first, again = receiver.ids
    assert first == again


@given(st.integers(1, len(WAITS)), st.floats(0, 1))
def test_every_wait_is_spread(attempts: int, luck: float) -> None:
    """By a fifth to both sides, so that many receivers of one machine do not come back at once."""
    wait = next_wait(attempts, luck=luck)
    assert wait is not None
    assert abs(wait - WAITS[attempts - 1]) <= WAITS[attempts - 1] * JITTER + 1


def test_the_waits_make_three_days() -> None:
    """Each at least as long as the one before; then it is given up."""
    assert list(WAITS) == sorted(WAITS)
    assert sum(WAITS) == pytest.approx(3 * DAY, rel=0.01)
    assert next_wait(len(WAITS) + 1, luck=0.5) is None
