"""What the CRM keeps of a lead."""

from dataclasses import dataclass
from enum import StrEnum


class Service(StrEnum):
    """What the studio sells."""

    WEBSITE = "website"
    MOBILE_APP = "mobile_app"
    CRM = "crm"
    AUTOMATION = "automation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal:
    """A deal of one contact."""

    id: int
    service: Service
    summary: str
    created_at: int
    run_id: int

    @property
    def deal_id(self) -> str:
        return f"D-{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """One message of a conversation; `speaker` is "lead" or "company"."""

    speaker: str
    kind: str
    text: str
    at: int
