"""Rows of decisions: written as a chain, read for people, verified from the first to the last."""

from collections.abc import Iterator

from agent.audit import BEGINNING, Entry, Verification
from agent.proposals import Correction, Proposal, Verdict
from agent.runs import Person
from storage.sql import Row, Sql

CHUNK = 1_000


def entry_of(row: Row) -> Entry:
    return Entry(
        id=row["id"],
        proposal_id=row["proposal_id"],
        verdict=row["verdict"],
        person=Person(id=row["person_id"], name=row["person_name"]),
        arguments_hash=row["arguments_hash"],
        at=row["at"],
        version=row["version"],
        note=row["note"],
    )


class AuditLog:
    """See agent.audit."""

    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    def add(
        self,
        proposal: Proposal,
        verdict: Verdict | Correction,
        person: Person,
        at: int,
        *,
        note: str | None = None,
    ) -> None:
        """Write that the person decided so on the proposal as it is given."""
        last = self._sql.maybe("last_entry")
        entry = Entry(
            id=last["id"] + 1 if last else 1,
            proposal_id=proposal.id,
            verdict=verdict,
            person=person,
            arguments_hash=proposal.arguments_hash,
            at=at,
            version=proposal.version,
            note=note,
        )
        previous = (last["hash"] or self._unchained()) if last else BEGINNING
        self._sql.run(
            "add_decision",
            id=entry.id,
            proposal_id=entry.proposal_id,
            verdict=verdict,
            person_id=person.id,
            person_name=person.name,
            arguments_hash=entry.arguments_hash,
            at=at,
            version=entry.version,
            note=note,
            hash=entry.chained(previous),
        )

    def _unchained(self) -> str:
        """The hash that stands for the entries from before there was a chain."""
        head = BEGINNING
        for row in self._rows():
            head = entry_of(row).chained(head)
        return head

    def between(self, first: int, last: int, limit: int) -> list[Entry]:
        """The entries from the time `first` to before `last` (ms), newest first."""
        rows = self._sql.all("entries_between", first=first, last=last, limit=limit)
        return [entry_of(row) for row in rows]

    def verify(self, expected: str | None = None) -> Verification:
        """Look at every entry, and at every proposal that is said to be decided.

        expected: a hash, or the beginning of one, that was printed before: it has to stand in the chain.
        """
        head, count, chained, found = BEGINNING, 0, False, False
        for row in self._rows():
            entry = entry_of(row)
            head, count = entry.chained(head), count + 1
            if row["hash"] != head and (chained or row["hash"] is not None):
                return Verification(entries=count, head=head, fault=_broken(entry))
            chained = chained or row["hash"] is not None
            found = found or (expected is not None and head.startswith(expected))
        return Verification(entries=count, head=head, fault=self._unfounded(), expected=found)

    def _unfounded(self) -> str | None:
        """A proposal whose state no entry bears out: the entry was taken away, or the proposal changed."""
        row = self._sql.maybe("unfounded_decision")
        return None if row is None else f"P-{row['id']} is {row['state']}, and no entry says so"

    def _rows(self) -> Iterator[Row]:
        after = 0
        while rows := self._sql.all("entries_after", after=after, limit=CHUNK):
            yield from rows
            after = rows[-1]["id"]


def _broken(entry: Entry) -> str:
    return (
        f"entry {entry.id} (P-{entry.proposal_id}, {entry.verdict}) is not what was written, "
        "or an entry before it was taken away"
    )
