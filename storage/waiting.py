"""Rows of leads that wait for their run, and of what people are asked about them."""

from agent.digests import Digest, DigestVerdict, DigestView, WaitReason
from agent.outgoing import CardKind
from agent.proposals import new_token
from agent.runs import Lead, Person
from storage.cards import Cards
from storage.commit import Wakes
from storage.leads import lead_of
from storage.persons import columns_of
from storage.sql import Row, Sql

# A question that changes is shown anew so often: floods come fast, and edits count as messages.
SHOWN_EVERY_MS = 15_000


def digest_of(row: Row) -> Digest:
    decided = row["person_id"] is not None
    return Digest(
        id=row["id"],
        token=row["token"],
        reason=WaitReason(row["reason"]),
        verdict=DigestVerdict(row["verdict"]) if row["verdict"] else None,
        leads=row["leads"],
        decided_by=Person(id=row["person_id"], name=row["person_name"]) if decided else None,
        decided_at=row["decided_at"],
    )


class Waiting:
    """Leads without a run, oldest first."""

    def __init__(self, sql: Sql, wakes: Wakes) -> None:
        self._sql = sql
        self._wakes = wakes

    def hold(self, lead: Lead, until: int) -> None:
        self._sql.run("hold_lead", id=lead.id, until=until)
        self._wakes.commit.timed = True

    def due(self, at: int) -> tuple[Lead, bool] | None:
        """The next that may go, and whether somebody said so."""
        row = self._sql.maybe("due_lead", at=at)
        return (lead_of(row), row["waits_until"] == 0) if row else None

    def release(self, lead: Lead) -> None:
        """It waits no longer, and its words are to be read by the run that it gets."""
        self._sql.run("release_lead", id=lead.id)

    def unread(self, lead: Lead) -> None:
        """Have the words of a lead read by the open run of its contact."""
        self._sql.run("unread_lead", id=lead.id, contact_id=lead.contact_id)

    def next(self, at: int) -> int | None:
        """When the next one may go that may not yet."""
        value = self._sql.one("next_waiting", at=at)["at"]
        return None if value is None else int(value)

    def any(self) -> bool:
        return bool(self._sql.one("count_waiting")["count"])

    def let_go(self, last_id: int) -> int:
        """Somebody said to begin with all up to an id; how many those are."""
        self._wakes.commit.timed = True
        return self._sql.run("let_waiting_go", last_id=last_id)

    def mark_spam(self, last_id: int) -> int:
        """All up to an id are spam, and whatever says the same; how many waited."""
        self._sql.run("mark_alike_of_waiting", last_id=last_id)
        return self._sql.run("mark_waiting", last_id=last_id)

    def mark(self, lead: Lead, *, spam: bool) -> None:
        """A lead and whatever says the same are spam, or no longer: then those without a run may begin."""
        self._sql.run("mark_alike", id=lead.id, spam=spam)
        self._wakes.commit.timed = True

    def calls_since(self, at: int) -> int:
        """How often the model has answered runs that began since then (ms)."""
        return int(self._sql.one("calls_since", at=at)["calls"])

    def under_way(self) -> int:
        """Runs that will ask the model soon."""
        return int(self._sql.one("count_working_runs")["runs"])


class Digests:
    """Questions about leads that wait, a card each; one is open at a time."""

    def __init__(self, sql: Sql, cards: Cards) -> None:
        self._sql = sql
        self._cards = cards

    def show(self, reason: WaitReason, at: int) -> None:
        """Have the people asked about what waits, or keep the question that is open true."""
        waiting = self._sql.one("count_waiting")
        row = self._sql.maybe("open_digest")
        if row is None:
            added = self._sql.one(
                "add_digest", token=new_token(), reason=reason, shown=waiting["last"], at=at
            )
            self._cards.touch(CardKind.DIGEST, added["id"])
        elif row["shown"] != waiting["last"]:
            self._sql.run("show_digest", id=row["id"], shown=waiting["last"])
            next_time = (at // SHOWN_EVERY_MS + 1) * SHOWN_EVERY_MS
            self._cards.touch(CardKind.DIGEST, row["id"], not_before=next_time)

    def open(self) -> Digest | None:
        row = self._sql.maybe("open_digest")
        return digest_of(row) if row else None

    def by_token(self, token: str) -> Digest | None:
        row = self._sql.maybe("digest_by_token", token=token)
        return digest_of(row) if row else None

    def decide(
        self, digest: Digest, verdict: DigestVerdict, leads: int, person: Person | None, at: int
    ) -> bool:
        """Whether this decided it: nobody did before."""
        decided = self._sql.run(
            "decide_digest",
            id=digest.id,
            verdict=verdict,
            leads=leads,
            **columns_of(person),
            at=at,
        )
        if decided:
            self._cards.touch(CardKind.DIGEST, digest.id)
        return decided > 0

    def view(self, id: int, limit: int) -> DigestView:
        waiting = self._sql.one("count_waiting")
        return DigestView(
            digest=digest_of(self._sql.one("digest", id=id)),
            waiting=waiting["count"],
            last_id=waiting["last"],
            first=[lead_of(row) for row in self._sql.all("first_waiting", limit=limit)],
        )
