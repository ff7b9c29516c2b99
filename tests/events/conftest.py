"""Subscriptions, and the loop that delivers, over the company of the other tests."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import pytest

from agent.events import Delivery, DeliveryState, EventType
from bot.deliveries import Deliveries
from storage.transaction import SqliteTransaction
from tests.company import Company
from tests.receiver import SECRET


@dataclass(kw_only=True)
class Wire:
    """The company's events: who is told, and what became of each."""

    company: Company

    async def subscribe(self, url: str = "http://127.0.0.1:9/hook", *types: EventType) -> int:
        def add(tx: SqliteTransaction) -> int:
            added = tx.subscriptions.add(url, SECRET, frozenset(types), self.company.clock())
            assert added is not None
            return added.id

        return await self.company.store.transaction(add)

    async def log(self) -> list[Delivery]:
        """Oldest first."""
        latest = await self.company.store.read(lambda tx: tx.deliveries.latest(1000))
        return latest[::-1]

    async def told(self) -> list[str]:
        """The types of all events, in their order."""
        return [delivery.type.value for delivery in await self.log()]

    @asynccontextmanager
    async def delivering(self) -> AsyncIterator[None]:
        """Deliver while the block runs."""
        task = asyncio.create_task(Deliveries(store=self.company.store, clock=self.company.clock).run())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def later(self, ms: int) -> None:
        """Let time pass, and have the loop look again."""
        self.company.clock.forward(ms)
        await self.company.store.transaction(lambda tx: setattr(tx.wakes.commit, "delivering", True))

    async def until(self, *states: DeliveryState, attempts: int | None = None) -> list[Delivery]:
        """Wait until the deliveries, oldest first, are in these states."""
        changed = asyncio.Event()
        self.company.store.subscribe(lambda _: changed.set())
        async with asyncio.timeout(10):
            while True:
                changed.clear()
                log = await self.log()
                tried = attempts is None or max(delivery.attempts for delivery in log) == attempts
                if tuple(delivery.state for delivery in log) == states and tried:
                    return log
                await changed.wait()


@pytest.fixture
def wire(company: Company) -> Wire:
    return Wire(company=company)
