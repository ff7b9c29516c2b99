"""What people are asked about leads that wait because there are too many."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from agent.runs import Lead, Person


class WaitReason(StrEnum):
    """Why leads wait."""

    CALLS = "calls"
    """The day's calls of the model are used up."""
    FLOOD = "flood"
    """More came at once than a source or an address may send."""


class DigestVerdict(StrEnum):
    """What became of the question."""

    PROCESS = "process"
    SPAM = "spam"
    NOTHING_WAITS = "nothing_waits"


@dataclass(frozen=True, slots=True, kw_only=True)
class Digest:
    """One question; decided once.  leads: how many the verdict was about."""

    id: int
    token: str = field(repr=False)
    reason: WaitReason
    verdict: DigestVerdict | None
    leads: int | None
    decided_by: Person | None
    decided_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestView:
    """A question as it stands: how many leads wait, the first of them, and the id of the last."""

    digest: Digest
    waiting: int
    last_id: int
    first: Sequence[Lead]
