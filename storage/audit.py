"""Rows of decisions: written as a chain, read for people, verified from the first to the last."""

from collections.abc import Iterator

from agent.audit import BEGINNING, Entry, Verification
from agent.proposals import Correction, Proposal, Verdict
from agent.runs import Person
from storage.sql import Row, Sql

CHUNK = 1_000
# Entries are numbered from 1; nobody hides one before that.
SMALLEST = -(2**63)


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
        last, previous = self._head()
        entry = Entry(
            id=last + 1,
            proposal_id=proposal.id,
            verdict=verdict,
            person=person,
            arguments_hash=proposal.arguments_hash,
            at=at,
            version=proposal.version,
            note=note,
        )
        hash = entry.chained(previous)
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
            hash=hash,
        )
        self._sql.run("move_audit_head", entry=entry.id, hash=hash)

    def _head(self) -> tuple[int, str]:
        """The last entry's id, and its hash: where there is no chain yet, of all entries from before it.

        It is the one that was written last, not the last that is there: the entry after one that was taken
        away does not fit what stands before it.
        """
        head = self._sql.maybe("audit_head")
        if head is not None:
            return head["entry"], head["hash"]
        last, hash = 0, BEGINNING
        for row in self._rows():
            last, hash = row["id"], entry_of(row).chained(hash)
        return last, hash

    def between(self, first: int, last: int, limit: int) -> list[Entry]:
        """The entries from the time `first` to before `last` (ms), newest first."""
        rows = self._sql.all("entries_between", first=first, last=last, limit=limit)
        return [entry_of(row) for row in rows]

    def verify(self, expected: str | None = None) -> Verification:
        """Look at every entry, at the end of the log, and at every proposal that is said to be decided.

        expected: a hash, or the beginning of one, that was printed before: it has to stand in the chain.
        """
        head, last, count, old, found = BEGINNING, 0, 0, 0, False
        for row in self._rows():
            entry = entry_of(row)
            head, last, count = entry.chained(head), entry.id, count + 1
            if entry.version is None and row["hash"] is None and old == count - 1:
                old += 1
            elif row["hash"] != head or entry.id != count:
                return Verification(entries=count, head=head, fault=_broken(entry))
            found = found or (expected is not None and head.startswith(expected))
        fault = self._cut_off(last, head, chained=count > old) or self._unfounded()
        return Verification(entries=count, unchained=old, head=head, fault=fault, expected=found)

    def _cut_off(self, last: int, hash: str, *, chained: bool) -> str | None:
        """What the log should end with, if it does not."""
        head = self._sql.maybe("audit_head")
        if head is None:
            return "nothing says any more which entry was written last" if chained else None
        if (head["entry"], head["hash"]) == (last, hash):
            return None
        return f"the log ends with entry {last}, and not with entry {head['entry']} as it was written"

    def _unfounded(self) -> str | None:
        """A proposal whose state no entry bears out: the entry was taken away, or the proposal changed."""
        row = self._sql.maybe("unfounded_decision")
        return None if row is None else f"P-{row['id']} is {row['state']}, and no entry says so"

    def _rows(self) -> Iterator[Row]:
        first = SMALLEST
        while rows := self._sql.all("entries_from", first=first, limit=CHUNK):
            yield from rows
            first = rows[-1]["id"] + 1


def _broken(entry: Entry) -> str:
    return (
        f"entry {entry.id} (P-{entry.proposal_id}, {entry.verdict}) is not what was written, "
        "or an entry before it was taken away"
    )
