"""Brings events to those who want them: signed, in order for each lead, again and again for three days.

Rows say what is due.  A try that was cut off is made again with the same webhook-id, so a receiver may get an
event twice and can tell.  Nothing polls: commits and one alarm wake the loop.
"""

import asyncio
import logging
import random
from dataclasses import dataclass
from functools import partial

from agent.clock import Clock
from agent.errors import ChannelError, StorageError
from agent.events import Delivery, DeliveryState, Subscription, SubscriptionState
from bot.ports import BotStore, BotTransaction, Commit
from bot.waking import woken
from bot.webhooks import Answer, post

log = logging.getLogger(__name__)

# At a time to one receiver: a slow one holds up nobody else.
AT_ONCE = 4
SECOND, MINUTE, HOUR = 1_000, 60_000, 3_600_000
# The wait after each try; with the last one given up: 72 hours in all.
WAITS = (
    *(5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE),
    *(1 * HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 12 * HOUR, 12 * HOUR, 16 * HOUR, 16 * HOUR),
)
# Receivers that failed together do not come back together.
JITTER = 0.2
GONE, GONE_FOR_GOOD = 410, "the receiver says that it is gone (410)"
SECONDS_AFTER_A_FAULT = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What is known after a try.  `wait` is how long the receiver asked to be left alone, in ms."""

    status: int | None = None
    error: str | None = None
    wait: int = 0

    @property
    def delivered(self) -> bool:
        return self.error is None


def outcome_of(answer: Answer) -> Outcome:
    error = None if answer.accepted else f"answered {answer.status}"
    return Outcome(status=answer.status, error=error, wait=int((answer.retry_after or 0) * 1000))


def next_wait(attempts: int, *, luck: float) -> int | None:
    """Milliseconds until the next try after so many; None to give up.  `luck` is from 0 to 1."""
    if attempts > len(WAITS):
        return None
    return int(WAITS[attempts - 1] * (1 + JITTER * (2 * luck - 1)))


class Deliveries:
    """One loop that looks for due rows, and a few tries to each receiver at a time."""

    def __init__(self, *, store: BotStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._wake = asyncio.Event()
        self._under_way: dict[int, asyncio.Task[None]] = {}
        self._receivers: dict[int, int] = {}
        store.subscribe(self._committed)

    def _committed(self, commit: Commit) -> None:
        if commit.delivering:
            self._wake.set()

    async def run(self) -> None:
        """Until cancelled; what is under way then is tried again after the restart."""
        try:
            while True:
                self._wake.clear()
                wait = await self._start_due()
                await woken(self._wake, wait)
        finally:
            for task in self._under_way.values():
                task.cancel()
            await asyncio.gather(*self._under_way.values(), return_exceptions=True)

    async def _start_due(self) -> float | None:
        """Start what may go now; seconds until something else may, None if only a commit can bring it."""
        before = set(self._under_way)  # what ends during the read is read as if it were still to be made
        try:
            due, later = await self._store.read(self._due)
        except StorageError as error:
            log.error("deliveries of events cannot be read: %s", error)
            return SECONDS_AFTER_A_FAULT
        for subscription, delivery in due:
            if delivery.id not in before:
                self._start(subscription, delivery)
        return None if later is None else max(0.0, (later - self._clock()) / 1000)

    def _due(self, tx: BotTransaction) -> tuple[list[tuple[Subscription, Delivery]], int | None]:
        """What is due to each receiver, and when something else will be."""
        at, due, times = self._clock(), [], []
        for subscription in tx.subscriptions.all():
            if subscription.state is SubscriptionState.ACTIVE:
                # Twice as many: those under way are still ready.
                ready = tx.deliveries.ready(subscription.id, at, 2 * AT_ONCE)
                due += [(subscription, delivery) for delivery in ready]
                times.append(tx.deliveries.next(subscription.id, at))
        return due, min((time for time in times if time is not None), default=None)

    def _start(self, subscription: Subscription, delivery: Delivery) -> None:
        """Its end wakes the loop, also for what had to wait for its place."""
        busy = self._receivers.get(subscription.id, 0)
        if delivery.id in self._under_way or busy >= AT_ONCE:
            return
        self._receivers[subscription.id] = busy + 1
        self._under_way[delivery.id] = asyncio.create_task(self._deliver(subscription, delivery))

    async def _deliver(self, subscription: Subscription, delivery: Delivery) -> None:
        try:
            outcome = await self._try(subscription, delivery)
            await self._store.transaction(partial(self._record, delivery, outcome), durable=False)
        except StorageError as error:
            log.error("the delivery of an event could not be recorded: %s", error)
            await asyncio.sleep(SECONDS_AFTER_A_FAULT)
        except Exception:  # a bug in one delivery must not stop the others
            log.exception("%s could not be delivered", delivery.delivery_id)
            await asyncio.sleep(SECONDS_AFTER_A_FAULT)
        finally:
            del self._under_way[delivery.id]
            self._receivers[subscription.id] -= 1
            self._wake.set()

    async def _try(self, subscription: Subscription, delivery: Delivery) -> Outcome:
        try:
            answer = await post(
                subscription.url, subscription.secret, id=delivery.key, body=delivery.body, clock=self._clock
            )
        except ChannelError as error:
            return Outcome(error=str(error))
        return outcome_of(answer)

    def _record(self, delivery: Delivery, outcome: Outcome, tx: BotTransaction) -> None:
        at, attempts = self._clock(), delivery.attempts + 1
        wait = None if outcome.status == GONE else next_wait(attempts, luck=random.random())  # noqa: S311
        if outcome.delivered:
            after = DeliveryState.DELIVERED
        else:
            after = DeliveryState.READY if wait is not None else DeliveryState.FAILED
            log.warning("%s (%s), try %d: %s", delivery.delivery_id, delivery.type, attempts, outcome.error)
        not_before = at + max(wait or 0, outcome.wait) if after is DeliveryState.READY else 0
        tx.deliveries.tried(
            delivery, after, at, status=outcome.status, error=outcome.error, not_before=not_before
        )
        if outcome.status == GONE:
            tx.subscriptions.end(delivery.subscription_id, SubscriptionState.DISABLED, GONE_FOR_GOOD)
