"""People, and what they are known by.

A contact is one person at one place: a Telegram account, or exactly the phones and e-mails that a form gave.
Contacts that are the same person are merged: one stands for all of them, and no row of any moves, so a merge
can be taken back.  Nobody is ever recognised by a name, or by a number that had to be guessed.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

from agent.names import number_in
from agent.phones import Phone
from agent.runs import Person


class IdentifierKind(StrEnum):
    """What one person has and no other: a Telegram user id, a number in E.164, an e-mail address."""

    TELEGRAM = "telegram"
    PHONE = "phone"
    EMAIL = "email"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Identifier:
    """One of them, in its one spelling."""

    kind: IdentifierKind
    value: str


def telegram(user_id: int) -> Identifier:
    return Identifier(kind=IdentifierKind.TELEGRAM, value=str(user_id))


def phone(e164: str, extension: str | None = None) -> Identifier:
    """A switchboard is many people's: with its extension it is one person's (as RFC 3966 writes it)."""
    return Identifier(kind=IdentifierKind.PHONE, value=f"{e164};ext={extension}" if extension else e164)


def email(address: str) -> Identifier:
    """In lower case, the domain as mail servers write it."""
    name, _, domain = address.casefold().rpartition("@")
    with suppress(UnicodeError):  # no mail reaches such a one, but it still is the same each time
        domain = domain.encode("idna").decode("ascii")
    return Identifier(kind=IdentifierKind.EMAIL, value=f"{name}@{domain}")


def identifiers_of(phones: Iterable[Phone], emails: Iterable[str]) -> tuple[Identifier, ...]:
    """What somebody may be recognised by, each once: doubtful numbers are none."""
    sure = (phone(number.trusted, number.extension) for number in phones if number.trusted)
    return tuple(sorted({*sure, *(email(address) for address in emails)}))


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """One person at one place.  telegram_id: None for one who came by a form.

    phone: the one that Telegram vouches for.  taken_by: who talks with them in the agent's place.
    merged_into: the contact that stands for this one; None where it stands for itself.
    """

    id: int
    telegram_id: int | None
    name: str
    username: str | None
    phone: str | None
    language: str | None
    acknowledged_at: int | None
    taken_by: Person | None = None
    created_at: int = 0
    merged_into: int | None = None

    @staticmethod
    def name_of(id: int) -> str:
        return f"C-{id}"

    @staticmethod
    def id_of(name: str) -> int | None:
        """The id in C-12 or 12; None if that is no contact's name."""
        return number_in(name, "C")

    @property
    def contact_id(self) -> str:
        return self.name_of(self.id)

    @property
    def standing(self) -> int:
        """The id of the contact that stands for this person."""
        return self.merged_into or self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownBy:
    """An identifier of a contact.  verified: by Telegram; else only claimed, for anybody can fill in a form.

    source: where it was given.  since: ms.
    """

    identifier: Identifier
    verified: bool
    source: str
    since: int


class MergeState(StrEnum):
    """suggested → merged | refused | settled (they were joined otherwise); merged → undone."""

    SUGGESTED = "suggested"
    MERGED = "merged"
    REFUSED = "refused"
    SETTLED = "settled"
    UNDONE = "undone"


class MergeReason(StrEnum):
    """Who says that two contacts are one person: a form, Telegram (of a phone), an operator."""

    CLAIMED = "claimed"
    VOUCHED = "vouched"
    PERSON = "person"


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """Two contacts that are, may be or were one person: `winner` stands for `loser`.

    shared: what they have in common.  decided_by: who merged or refused; None where the program did.
    """

    id: int
    winner: int
    loser: int
    state: MergeState
    reason: MergeReason
    shared: Identifier | None
    at: int
    decided_by: Person | None = None
    undone_by: Person | None = None
    undone_at: int | None = None

    @staticmethod
    def name_of(id: int) -> str:
        return f"M-{id}"

    @property
    def merge_id(self) -> str:
        return self.name_of(self.id)

    @staticmethod
    def id_of(name: str) -> int | None:
        """The id in M-3 or 3; None if that is no merge's name."""
        return number_in(name, "M")
