"""The other CRM that the built-in one is brought to: what is due there, and how the link is."""

from dataclasses import dataclass
from enum import StrEnum

from agent.contacts import Contact
from agent.deals import Deal
from agent.jsontext import JsonObject


class Provider(StrEnum):
    """Where the records are besides: nowhere, or in Bitrix24."""

    BUILTIN = "builtin"
    BITRIX24 = "bitrix24"


class Closed(StrEnum):
    """What somebody has to mend before the other CRM takes anything."""

    KEY = "key"
    HTTPS = "https"
    SCOPE = "scope"
    RIGHTS = "rights"
    PLAN = "plan"
    OVERLOAD = "overload"
    PORTAL = "portal"
    STAGES = "stages"


class ItemKind(StrEnum):
    """What is brought to the other CRM."""

    CONTACT = "contact"
    DEAL = "deal"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A contact, deal or note that the other CRM has to show as it is here: due until it shows `version`.

    external_id: its id there.  sent: what it was last told of it.  error: why it did not take it.
    """

    id: int
    kind: ItemKind
    subject: int
    version: int
    external_id: str | None
    sent: JsonObject | None
    error: str | None

    @property
    def name(self) -> str:
        """C-1, D-12, N-3: by which the other CRM knows it too."""
        match self.kind:
            case ItemKind.CONTACT:
                return Contact.name_of(self.subject)
            case ItemKind.DEAL:
                return Deal.name_of(self.subject)
            case ItemKind.NOTE:
                return f"N-{self.subject}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The other CRM.  origin: what this database is called there, so that no two are mixed up.

    trouble: why nothing gets there, as the operators were told.
    """

    provider: Provider
    origin: str
    trouble: str | None
