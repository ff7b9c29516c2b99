"""People who write to the company."""

from dataclasses import dataclass

from agent.runs import Person


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """One person.  telegram_id: None for one who came by a website form.

    taken_by: who talks with them in the agent's place.
    """

    id: int
    telegram_id: int | None
    name: str
    username: str | None
    phone: str | None
    language: str | None
    acknowledged_at: int | None
    taken_by: Person | None = None
