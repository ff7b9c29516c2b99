"""Updates as Telegram sent them: stored before they are acknowledged, handled afterwards."""

from collections.abc import Sequence
from dataclasses import dataclass

from storage.commit import Wakes
from storage.sql import Sql


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredUpdate:
    """One update: its id and its JSON."""

    update_id: int
    raw: str


class Inbox:
    """Rows of updates, each handled once; one that keeps failing is parked and blocks no other."""

    def __init__(self, sql: Sql, wakes: Wakes) -> None:
        self._sql = sql
        self._wakes = wakes

    def receive(self, updates: Sequence[tuple[int, str]], at: int) -> int:
        """Store what is new; how many those are.  Ids are compared by membership: they may restart lower."""
        new = 0
        for update_id, raw in updates:
            new += self._sql.run("receive_update", update_id=update_id, raw=raw, at=at)
        if new:
            self._wakes.commit.received = True
        return new

    def new(self, limit: int) -> list[StoredUpdate]:
        return [
            StoredUpdate(update_id=row["update_id"], raw=row["raw"])
            for row in self._sql.all("new_updates", limit=limit)
        ]

    def belongs_to(self, bot_id: int) -> bool:
        """Whether the rows are those of this bot: ids of updates and messages count for each bot anew."""
        self._sql.run("claim_for_bot", bot_id=bot_id)
        return bool(self._sql.one("owner_bot")["bot_id"] == bot_id)

    def polled(self, at: int) -> None:
        """Telegram was reached; presses made while it was not are lost after 150 s (Bot API)."""
        self._sql.run("set_last_poll", at=at)

    def last_poll(self) -> int | None:
        row = self._sql.maybe("last_poll")
        return int(row["at"]) if row else None

    def done(self, update_id: int) -> None:
        self._sql.run("finish_update", update_id=update_id)
        self._let_bursts_end()

    def failed(self, update_id: int, error: str, *, limit: int) -> bool:
        """Count a failure; whether the update is parked now, having failed `limit` times.

        What was done before the failure stays done.
        """
        row = self._sql.maybe("fail_update", update_id=update_id, error=error, limit=limit)
        self._let_bursts_end()
        return row is not None and bool(row["state"] == "parked")

    def _let_bursts_end(self) -> None:
        """A burst may have waited for the update; mostly there is none."""
        if self._sql.one("any_burst")["found"]:
            self._wakes.commit.timed = True
