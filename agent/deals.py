"""What the CRM keeps of a lead."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from agent.contacts import Contact
from agent.names import number_in
from agent.runs import Lead, Person


class Service(StrEnum):
    """What the studio sells."""

    WEBSITE = "website"
    MOBILE_APP = "mobile_app"
    CRM = "crm"
    AUTOMATION = "automation"


class Stage(StrEnum):
    """How far a deal is; people move it, in any direction."""

    NEW = "new"
    IN_PROGRESS = "in_progress"
    WON = "won"
    LOST = "lost"

    @property
    def open(self) -> bool:
        return self in (Stage.NEW, Stage.IN_PROGRESS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deal:
    """A deal of one contact.  owner: the operator who looks after it."""

    id: int
    contact_id: int
    lead_id: int
    service: Service
    summary: str
    created_at: int
    run_id: int
    stage: Stage = Stage.NEW
    owner: Person | None = None

    @staticmethod
    def name_of(id: int) -> str:
        return f"D-{id}"

    @staticmethod
    def id_of(name: str) -> int | None:
        """The id in D-12 or 12; None if that is no deal's name."""
        return number_in(name, "D")

    @property
    def deal_id(self) -> str:
        return self.name_of(self.id)


class ChangeKind(StrEnum):
    """What a person did to a deal."""

    STAGE = "stage"
    OWNER = "owner"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that a person did to a deal.

    before, after: stages, or names of owners (None: nobody).  A note has its text as `after`.
    """

    kind: ChangeKind
    after: str
    by: Person
    at: int
    before: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DealView:
    """A deal with its contact and the latest of what was done to it; `earlier` counts the rest."""

    deal: Deal
    lead: Lead
    contact: Contact
    changes: Sequence[Change]
    earlier: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """One message of a conversation; `speaker` is "lead" or "company"."""

    speaker: str
    kind: str
    text: str
    at: int
