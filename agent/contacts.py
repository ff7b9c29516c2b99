"""People who write to the company."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """One person.  telegram_id: None for one who came by a website form."""

    id: int
    telegram_id: int | None
    name: str
    username: str | None
    phone: str | None
    language: str | None
    acknowledged_at: int | None
