"""Settings of the time that decisions take: who hears of what waits, when, and when nobody is woken."""

from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import BeforeValidator, field_validator
from pydantic_settings import NoDecode

from bot.durations import Milliseconds, Some
from bot.quiet_hours import QuietHours, quiet_hours
from bot.reply_settings import ReplySettings


def _people(value: object) -> object:
    """User ids in the order in which they are written, each once."""
    if not isinstance(value, str):
        return value
    words = [word.strip() for word in value.split(",") if word.strip()]
    if any(not word.isdecimal() for word in words):
        raise ValueError("write Telegram user ids (numbers), separated by commas")
    return tuple(dict.fromkeys(int(word) for word in words))


class TimeSettings(ReplySettings):
    """See bot.settings.Settings."""

    time_zone: str = "Asia/Almaty"
    approval_ttl: Some = 86_400_000
    approval_remind: Milliseconds = 1_800_000
    approval_escalate: Milliseconds = 7_200_000
    escalate_to: Annotated[tuple[int, ...], NoDecode, BeforeValidator(_people)] = ()
    quiet_hours: str = ""
    pinned: bool = True
    lead_topics: bool = False

    @field_validator("time_zone")
    @classmethod
    def _is_a_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except (KeyError, ValueError, OSError) as error:
            raise ValueError("write a time zone like Asia/Almaty or Europe/Berlin") from error
        return value

    @field_validator("quiet_hours")
    @classmethod
    def _are_hours(cls, value: str) -> str:
        if value:
            quiet_hours(value, ZoneInfo("UTC"))
        return value

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    @property
    def quiet(self) -> QuietHours | None:
        return quiet_hours(self.quiet_hours, self.zone) if self.quiet_hours else None
