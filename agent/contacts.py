"""People who write to the company."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """One person, known by a verified identifier only: the Telegram user id."""

    id: int
    telegram_id: int
    name: str
    username: str | None
    phone: str | None
    language: str | None
    acknowledged_at: int | None
