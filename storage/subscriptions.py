"""Rows of subscriptions: who is told of what happens."""

from agent.errors import NotFound
from agent.events import EventType, Subscription, SubscriptionState
from storage.commit import Wakes
from storage.sql import Row, Sql


def subscription_of(row: Row) -> Subscription:
    return Subscription(
        id=row["id"],
        url=row["url"],
        secret=row["secret"],
        types=frozenset(EventType(word) for word in row["types"].split()),
        state=SubscriptionState(row["state"]),
        created_at=row["created_at"],
        reason=row["reason"],
    )


class Subscriptions:
    """At most one a URL.  `wanting` is asked wherever something happens, and mostly nobody wants anything."""

    def __init__(self, sql: Sql, wakes: Wakes) -> None:
        self._sql = sql
        self._wakes = wakes
        self._known: list[Subscription] | None = None

    def all(self) -> list[Subscription]:
        """All that were not removed, oldest first."""
        return [subscription_of(row) for row in self._sql.all("subscriptions")]

    def get(self, id: int) -> Subscription:
        row = self._sql.maybe("subscription", id=id)
        if row is None:
            raise NotFound(f"there is no subscription S-{id}; `lead-agent events list` shows them")
        return subscription_of(row)

    def wanting(self, type: EventType) -> list[Subscription]:
        """Read once and remembered, since nobody writes but this connection; see `forget`."""
        if self._known is None:
            self._known = self.all()
        return [subscription for subscription in self._known if subscription.wants(type)]

    def forget(self) -> None:
        """Read them again: they were changed, or what was written may have been undone."""
        self._known = None

    def add(self, url: str, secret: str, types: frozenset[EventType], at: int) -> Subscription | None:
        """The new subscription, or the disabled one of this URL started anew; None if one is active."""
        self.forget()
        words = " ".join(sorted(types))
        row = self._sql.maybe("add_subscription", url=url, secret=secret, types=words, at=at)
        return subscription_of(row) if row else None

    def end(self, id: int, state: SubscriptionState, reason: str) -> bool:
        """Tell it nothing more, and drop what is on its way; whether there was something to end."""
        self.forget()
        if not self._sql.run("end_subscription", id=id, state=state, reason=reason):
            return False
        self._sql.run("drop_deliveries", subscription_id=id, reason=reason)
        self._wakes.commit.delivering = True
        return True
