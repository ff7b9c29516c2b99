"""Rows of the manual stop: turning it makes the cards of what it concerns dirty, and wakes who waited."""

from agent.outgoing import Lane
from agent.runs import Person, Switch
from storage.commit import Wakes
from storage.sql import Row, Sql


def switch_of(row: Row) -> Switch:
    return Switch(
        paused=bool(row["paused"]), by=Person(id=row["person_id"], name=row["person_name"]), at=row["at"]
    )


class Pauses:
    """See agent.ports.Pauses.  `holding` is asked in every transaction that lets something begin."""

    def __init__(self, sql: Sql, wakes: Wakes) -> None:
        self._sql = sql
        self._wakes = wakes
        self._known = False
        self._last: Switch | None = None

    def last(self) -> Switch | None:
        """Read once and remembered, since nobody writes but this connection; see `forget`."""
        if not self._known:
            row = self._sql.maybe("last_switch")
            self._last = switch_of(row) if row else None
            self._known = True
        return self._last

    def forget(self) -> None:
        """Read it again: it was turned, or what was written may have been undone."""
        self._known = False

    @property
    def holding(self) -> Switch | None:
        """The last turn if it was to stop."""
        last = self.last()
        return last if last and last.paused else None

    def history(self, limit: int) -> list[Switch]:
        """The latest turns, newest first."""
        return [switch_of(row) for row in self._sql.all("switches", limit=limit)]

    def turn(self, switch: Switch) -> None:
        pause = self.holding
        self._sql.run(
            "add_switch",
            paused=switch.paused,
            person_id=switch.by.id,
            person_name=switch.by.name,
            at=switch.at,
        )
        # A run that ended during the pause left a card that still tells of it.
        since = pause.at if pause else switch.at
        self._sql.run("touch_cards_of_open_runs", lane=Lane.CARDS, since=since)
        if not switch.paused:  # nobody asked the model meanwhile, so it did not fail for so long
            self._sql.run("restart_failing", at=switch.at)
        self.forget()
        self._wakes.commit.outgoing = True
        self._wakes.commit.timed = True
