"""Rows of deliveries: what is due to whom, what came of it, in order for each lead."""

from agent.errors import NotFound
from agent.events import Delivery, DeliveryState, EventType
from storage.commit import Wakes
from storage.sql import Row, Sql


def delivery_of(row: Row) -> Delivery:
    return Delivery(
        id=row["id"],
        subscription_id=row["subscription_id"],
        url=row["url"],
        lead_id=row["lead_id"],
        type=EventType(row["type"]),
        key=row["key"],
        body=row["body"],
        at=row["at"],
        state=DeliveryState(row["state"]),
        attempts=row["attempts"],
        not_before=row["not_before"],
        status=row["status"],
        error=row["error"],
        tried_at=row["tried_at"],
    )


class Deliveries:
    """A try is recorded when it is over; one that was cut off is made again under the same key."""

    def __init__(self, sql: Sql, wakes: Wakes) -> None:
        self._sql = sql
        self._wakes = wakes

    def ready(self, subscription_id: int, at: int, limit: int) -> list[Delivery]:
        """What may go to a subscription now, longest due first."""
        rows = self._sql.all("ready_deliveries", subscription_id=subscription_id, at=at, limit=limit)
        return [delivery_of(row) for row in rows]

    def next(self, subscription_id: int, at: int) -> int | None:
        """The time after `at` from which the next one may go to a subscription."""
        due = self._sql.one("next_delivery", subscription_id=subscription_id, at=at)["at"]
        return None if due is None else int(due)

    def get(self, id: int) -> Delivery:
        row = self._sql.maybe("delivery", id=id)
        if row is None:
            raise NotFound(f"there is no delivery E-{id}; `lead-agent events` shows the latest")
        return delivery_of(row)

    def latest(self, limit: int) -> list[Delivery]:
        """Newest first."""
        return [delivery_of(row) for row in self._sql.all("latest_deliveries", limit=limit)]

    def tried(
        self,
        delivery: Delivery,
        after: DeliveryState,
        at: int,
        *,
        status: int | None,
        error: str | None,
        not_before: int = 0,
    ) -> bool:
        """Record a try of a ready delivery; False if it was dropped or renewed meanwhile.

        One that is over lets the next of its lead go.
        """
        changed = self._sql.run(
            "move_delivery",
            id=delivery.id,
            tried=delivery.attempts,
            after=after,
            attempts=delivery.attempts + 1,
            not_before=not_before,
            status=status,
            error=error,
            at=at,
        )
        if changed and not after.open:
            self._sql.run(
                "ready_next_delivery", subscription_id=delivery.subscription_id, lead_id=delivery.lead_id
            )
        self._wakes.commit.delivering = True
        return changed > 0

    def renew(self, delivery: Delivery) -> bool:
        """Have it tried again at once, as if it were new; False if an earlier one of its lead goes first."""
        self._wakes.commit.delivering = True
        return self._sql.run("renew_delivery", id=delivery.id) > 0
