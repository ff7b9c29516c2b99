"""All that one transaction can do."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from agent import pauses
from agent.journal import Record
from agent.jsontext import dumps
from agent.outgoing import CardKind
from agent.proposals import Proposal
from agent.runs import RunStatus, Switch
from storage.audit import AuditLog
from storage.cards import Cards, Chats, Notes
from storage.commit import Wakes
from storage.contacts import Contacts
from storage.crm import BuiltInCrm
from storage.crm_outbox import CrmOutbox
from storage.deals import Deals
from storage.deliveries import Deliveries
from storage.events import Events
from storage.exports import Exports
from storage.faults import translated
from storage.feedback import FeedbackRows
from storage.identities import Identities
from storage.inbox import Inbox
from storage.leads import Leads
from storage.merges import Merges
from storage.pauses import Pauses
from storage.people import People
from storage.pinned import Pinned
from storage.posts import Posts
from storage.proposals import Proposals
from storage.rules import Rules
from storage.runs import Runs
from storage.sources import Sources
from storage.sql import Sql
from storage.subscriptions import Subscriptions
from storage.topics import Topics
from storage.views import Views
from storage.waiting import Digests, Waiting


class SqliteTransaction:
    """See agent.ports.Transaction.  One object serves all transactions of a connection, one after another."""

    def __init__(self, sql: Sql) -> None:
        self._sql = sql
        self.wakes = wakes = Wakes()
        self.pauses = Pauses(sql, wakes)
        self.cards = Cards(sql, wakes)
        self.notes = Notes(sql, wakes, self.pauses)
        self.chats = Chats(sql)
        self.pinned = Pinned(sql)
        self.topics = Topics(sql)
        self.subscriptions = Subscriptions(sql, wakes)
        self.deliveries = Deliveries(sql, wakes)
        events = Events(sql, wakes, self.subscriptions)
        self.runs = Runs(sql, wakes, events)
        self.audit = AuditLog(sql)
        self.proposals = Proposals(sql, self.cards, self.audit, wakes, events)
        self.rules = Rules(sql, self.cards, wakes)
        self.feedback = FeedbackRows(sql)
        self.leads = Leads(sql)
        self.crm_outbox = CrmOutbox(sql, wakes)
        self.merges = Merges(sql, self.cards, self.crm_outbox)
        self.identities = Identities(sql, self.merges, self.crm_outbox)
        self.people = People(sql, self.merges, self.identities)
        self.contacts = Contacts(sql, wakes, self.leads, events, self.identities)
        self.crm = BuiltInCrm(sql, self.cards, events, self.identities, self.crm_outbox)
        self.deals = Deals(sql, self.cards, self.merges, self.crm_outbox)
        self.inbox = Inbox(sql, wakes)
        self.sources = Sources(sql)
        self.posts = Posts(sql, wakes)
        self.waiting = Waiting(sql, wakes)
        self.digests = Digests(sql, self.cards)
        self.views = Views(sql, self.runs, self.proposals, self.pauses, self.merges)
        self.exports = Exports(sql)
        self.alarms = Alarms(sql, self.pauses, self.rules)

    def forget(self) -> None:
        """Read again what is remembered between transactions: what was written may have been undone."""
        self.pauses.forget()
        self.subscriptions.forget()
        self.merges.forget()
        self.crm_outbox.forget()
        self.rules.forget()

    @property
    def paused(self) -> Switch | None:
        return self.pauses.holding

    def record(self, run_id: int, record: Record) -> None:
        seqs = self.wakes.commit.seqs
        if run_id not in seqs:
            seqs[run_id] = self._sql.one("last_journal", run_id=run_id)["seq"]
        seqs[run_id] = seq = seqs[run_id] + 1
        self._sql.run(
            "add_journal",
            run_id=run_id,
            seq=seq,
            at=record.at,
            step=record.step,
            kind=record.kind,
            name=record.name,
            outcome=record.outcome,
            ms=record.ms,
            tokens=record.tokens,
            input=dumps(record.input) if record.input is not None else None,
            proposal_id=record.proposal_id,
            note=record.note,
            attempt=record.attempt,
        )
        self.wakes.commit.records.append(replace(record, seq=seq))

    def alert(self, run_id: int) -> None:
        self.cards.touch(CardKind.RUN, run_id)

    def after_commit(self, call: Callable[[], None]) -> None:
        self.wakes.commit.calls.append(call)

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        self._sql.statement("SAVEPOINT inner")
        try:
            yield
        except Exception as error:
            if not self._sql.in_transaction:  # the disk's fault: SQLite has undone the whole transaction
                raise translated(error) from error
            self._sql.statement("ROLLBACK TO inner")
            self._sql.statement("RELEASE inner")
            raise
        self._sql.statement("RELEASE inner")

    def recover(self) -> None:
        """At start: nothing of ours is running, whatever the rows say."""
        self.runs.keep_code()
        if self.paused:
            for run in self.runs.open():
                if run.status is RunStatus.RUNNING:
                    pauses.show_waiting(self, run)
        self._sql.run("requeue_running")
        self.cards.recover()
        self.notes.recover()
        self.topics.recover()

    def by_token(self, token: str) -> Proposal | None:
        """The proposal whose card's buttons carry `token`, or carried it in an earlier state."""
        return self.proposals.by_token(token)


class Alarms:
    """When something becomes due by time alone."""

    def __init__(self, sql: Sql, pauses: Pauses, rules: Rules) -> None:
        self._sql = sql
        self._pauses = pauses
        self._rules = rules

    def queued(self, at: int) -> list[int]:
        """Runs that can go on now, those among them whose delayed execution is due.

        While the manual stop is on: only those whose sending was cut off, for people have to be told.
        """
        if self._pauses.holding:
            return [row["id"] for row in self._sql.all("cut_off_runs")]
        self._sql.all("queue_delayed", at=at)
        return [row["id"] for row in self._sql.all("queued_runs", at=at)]

    def next(self, at: int) -> int | None:
        """The time, in ms, at which the next run, proposal, rule or burst is due; None if none is waiting."""
        times = [
            self._sql.one("next_retry", at=at)["at"],
            self._sql.one("next_question")["at"],
            self._sql.one("next_delayed", at=at)["at"],
            self._sql.one("next_burst")["at"],
            *(rule.until for rule in self._rules.all() if not rule.state.over),
        ]
        return min((time for time in times if time is not None), default=None)

    def next_outgoing(self, at: int) -> int | None:
        """The time after `at` from which the next card or note may be sent."""
        times = [self._sql.one("next_card", at=at)["at"], self._sql.one("next_note", at=at)["at"]]
        return min((time for time in times if time is not None), default=None)
