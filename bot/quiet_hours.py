"""The hours of a day in which the group is not to be woken.  Pure."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

_HOURS = re.compile(r"(\d{1,2}):(\d{2})\s*[-–]\s*(\d{1,2}):(\d{2})", re.ASCII)
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuietHours:
    """From `begin` to before `end` on the clocks of `zone`; over midnight where `end` is the earlier one."""

    begin: time
    end: time
    zone: ZoneInfo

    def until(self, at: int) -> int | None:
        """When the quiet hours are over that hold at `at` (both ms since the epoch); None outside of them.

        Where the clocks are put back, an hour of the night comes twice, and is quiet twice; where they are
        put forward, an end that is left out comes an hour later.
        """
        local = datetime.fromtimestamp(at / 1000, UTC).astimezone(self.zone)
        clock = local.time()
        over_midnight = self.end < self.begin
        evening, morning = self.begin <= clock, clock < self.end
        if not (evening or morning if over_midnight else evening and morning):
            return None
        tomorrow = over_midnight and evening
        day = local.date() + _DAY if tomorrow else local.date()
        end = datetime.combine(day, self.end, self.zone).replace(fold=0 if tomorrow else local.fold)
        return round(end.timestamp() * 1000)


def quiet_hours(text: str, zone: ZoneInfo) -> QuietHours:
    """22:00-08:00 as hours of the day; ValueError for anything else."""
    match = _HOURS.fullmatch(text.strip())
    try:
        begin, end = (time(int(hour), int(minute)) for hour, minute in _pairs(match))
    except ValueError:
        raise ValueError("write two times of the day, like 22:00-08:00") from None
    if begin == end:
        raise ValueError("the hours begin and end at the same time; leave it empty for none")
    return QuietHours(begin=begin, end=end, zone=zone)


def _pairs(match: re.Match[str] | None) -> list[tuple[str, str]]:
    if match is None:
        raise ValueError
    return [(match[1], match[2]), (match[3], match[4])]
