"""The decision log: who decided what, when, on exactly which words; a chain that shows tampering.

Every entry's hash covers the entry and the hash before it, so nobody can change, add or take away an entry
within the log unseen.  Whoever can rewrite the whole file can build another chain: against that only a hash
that was kept elsewhere helps.
"""

from dataclasses import dataclass

from agent.clock import iso
from agent.jsontext import JsonObject, digest
from agent.runs import Person


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One decision.  `arguments_hash` is that of what it was about; `version` is None in entries of old."""

    id: int
    proposal_id: int
    verdict: str
    person: Person
    arguments_hash: str
    at: int
    version: int | None = None
    note: str | None = None

    def chained(self, previous: str) -> str:
        """The entry's hash, behind the one before."""
        person = [self.person.id, self.person.name]
        return digest(
            [
                previous,
                self.id,
                self.proposal_id,
                self.verdict,
                person,
                self.arguments_hash,
                self.at,
                self.version,
                self.note,
            ]
        )

    def as_json(self) -> JsonObject:
        return {
            "id": self.id,
            "at": iso(self.at),
            "person": {"id": self.person.id, "name": self.person.name},
            "verdict": self.verdict,
            "proposal_id": f"P-{self.proposal_id}",
            "version": self.version,
            "arguments_hash": self.arguments_hash,
            "note": self.note,
        }


# The hash before the first entry.
BEGINNING = digest([])


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What a look at the whole log gave: its entries, the last hash, and the first fault in words.

    unchained: how many entries are from before there was a chain.  expected: whether the hash that somebody
    kept stands in the chain.
    """

    entries: int
    head: str
    unchained: int = 0
    fault: str | None = None
    expected: bool = False
