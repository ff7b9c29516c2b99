"""How much of the model a day may cost: MODEL_CALLS_PER_DAY."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

from bot.ports import BotTransaction

# What a run asks for on the average: the history, a deal with the reply, the last line.
CALLS_OF_A_RUN = 3


class Allowance:
    """Calls of the model from midnight to midnight.  A run under way is finished, so a day may go over."""

    def __init__(self, *, calls: int, zone: ZoneInfo) -> None:
        """calls: a day, 0 for any number."""
        self._calls = calls
        self._zone = zone

    def is_spent(self, tx: BotTransaction, at: int) -> bool:
        """Whether no run may begin any more on the day of `at` (ms)."""
        return self._calls > 0 and self._used(tx, at) >= self._calls

    def has_room(self, tx: BotTransaction, at: int) -> bool:
        """Whether a run may begin beside those that are under way."""
        if self._calls == 0:
            return True
        return self._used(tx, at) + CALLS_OF_A_RUN * tx.waiting.under_way() < self._calls

    def _used(self, tx: BotTransaction, at: int) -> int:
        return tx.waiting.calls_since(self._midnight(at, days=0))

    def tomorrow(self, at: int) -> int:
        """The end of the day (ms)."""
        return self._midnight(at, days=1)

    def _midnight(self, at: int, *, days: int) -> int:
        day = datetime.fromtimestamp(at / 1000, UTC).astimezone(self._zone).date() + timedelta(days=days)
        return int(datetime.combine(day, time(), self._zone).timestamp() * 1000)
