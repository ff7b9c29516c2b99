"""What the core needs from outside, as small protocols.

A transaction is one plain function over `Transaction`, run in one hop: `await store.transaction(function)`.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, TypeVar

from agent.channels import Letter, Route
from agent.conditions import Case
from agent.contacts import Identifier
from agent.deals import Deal, Service, Utterance
from agent.journal import Record
from agent.jsontext import JsonObject
from agent.limits import Usage
from agent.proposals import Proposal, ProposalState, Verdict
from agent.rules import Past, Rule
from agent.runs import Lead, Person, Run, Spec, Switch

T = TypeVar("T")


class Crm(Protocol):
    """The company's records, always those of the person that the given lead is of.

    heard_by: who hears what is made of them.  Of the same person's other contacts, that is what those may
    hear (see agent.hearing); without it nothing.
    """

    def deals(self, lead: Lead, heard_by: Collection[Identifier] = ()) -> list[Deal]: ...
    def conversation(
        self, lead: Lead, limit: int, heard_by: Collection[Identifier] = ()
    ) -> list[Utterance]: ...
    def create_deal(self, lead: Lead, run_id: int, service: Service, summary: str, at: int) -> Deal: ...
    def escalate(self, lead: Lead, run_id: int, reason: str, at: int) -> None: ...


class Runs(Protocol):
    """Rows of runs.

    `save` stores a run and adds to its transcript.  Fenced if epoch or seq are no longer the given ones: it
    ends whatever a transaction does to a run.
    """

    def create(self, run: Run, lead: Lead, spec: Spec, task: JsonObject) -> Run: ...
    def free_name(self, name: str) -> str: ...
    def get(self, id: int) -> Run: ...
    def open(self) -> list[Run]: ...
    def lead(self, run: Run) -> Lead: ...
    def spec(self, run: Run) -> Spec: ...
    def claim(self, id: int, at: int) -> Run | None: ...
    def transcript(self, run: Run) -> list[JsonObject]: ...
    def save(self, run: Run, fragments: Sequence[JsonObject] = ()) -> Run: ...
    def queue(self, id: int, *, not_before: int = 0) -> bool:
        """Let a run that waits for people go on, at `not_before` (ms) at the earliest.

        One that waits for its time goes on at the earlier of the two.
        """

    def cancel(self, run: Run, reason: str, at: int) -> None: ...
    def has_unread(self, run: Run) -> bool: ...
    def is_returning(self, lead: Lead) -> bool: ...
    def unread(self, run: Run) -> list[Utterance]: ...
    def needs_person(self, run: Run) -> bool: ...


class Proposals(Protocol):
    """Rows of proposals.  What changes one compares and sets: None means it was no longer as given."""

    def create(self, proposal: Proposal) -> Proposal: ...
    def get(self, id: int) -> Proposal: ...
    def of_run(self, run_id: int) -> list[Proposal]: ...
    def of_card(self, subject: int) -> list[Proposal]: ...
    def touch(self, proposal: Proposal) -> None: ...
    def repost(self, proposal: Proposal) -> None:
        """Have its card posted anew, further down."""

    def approved_hash(self, id: int) -> str | None: ...
    def overdue(self, at: int) -> list[Proposal]: ...
    def to_remind(self, at: int) -> list[Proposal]: ...
    def reminded(self, proposal: Proposal, remind_at: int | None, *, escalated: int) -> None: ...
    def put_off_reminders(self, at: int, until: int) -> None: ...
    def move(
        self,
        proposal: Proposal,
        after: ProposalState,
        at: int,
        *,
        note: str | None = None,
        receipt: JsonObject | None = None,
        execute_after: int = 0,
    ) -> Proposal | None: ...
    def decide(
        self,
        proposal: Proposal,
        verdict: Verdict,
        person: Person,
        at: int,
        *,
        execute_after: int = 0,
        remind_at: int | None = None,
    ) -> Proposal | None: ...
    def revise(self, proposal: Proposal, revised: Proposal, at: int) -> Proposal | None: ...
    def send_back(self, proposal: Proposal, remark: str, person: Person, at: int) -> Proposal | None: ...
    def vote(self, proposal: Proposal, person: Person, at: int) -> Proposal | None: ...
    def warn(self, proposal: Proposal, person: Person, at: int) -> None: ...
    def warned(self, proposal: Proposal, person: Person, before: int) -> bool: ...
    def give_reason(self, proposal: Proposal, reason: str, person: Person, at: int) -> Proposal | None: ...


class Rules(Protocol):
    """Rows of rules, and of what people did with calls that one could have let pass."""

    def all(self) -> Sequence[Rule]:
        """Every rule there ever was, as it is now, oldest first; remembered, so that it costs nothing."""

    def by_token(self, token: str) -> Rule | None: ...
    def add(self, rule: Rule) -> Rule: ...
    def change(self, rule: Rule) -> None: ...
    def touch(self, rule: Rule) -> None:
        """Have its card brought up to date: the policy that it tells of may be another one."""

    def add_past(self, past: Past) -> None: ...
    def latest(self, case: Case, limit: int) -> list[Past]:
        """What people did with calls of such leads, newest first."""

    def history(self, tool: str, limit: int) -> list[Past]:
        """The latest things that people did with calls of a tool, as those were proposed."""


class Pauses(Protocol):
    """Rows of the manual stop: every turn of it is kept, the last one holds."""

    def last(self) -> Switch | None: ...
    def turn(self, switch: Switch) -> None: ...


class Transaction(Protocol):
    """Everything that one transaction can do; gone when its function returns."""

    @property
    def runs(self) -> Runs: ...
    @property
    def proposals(self) -> Proposals: ...
    @property
    def crm(self) -> Crm: ...
    @property
    def rules(self) -> Rules: ...
    @property
    def pauses(self) -> Pauses: ...
    @property
    def paused(self) -> Switch | None:
        """The manual stop while it is on: no call of the model and no external action may begin."""

    def record(self, run_id: int, record: Record) -> None:
        """Write a journal record; it is shown live once the transaction is committed."""

    def alert(self, run_id: int) -> None:
        """Have the run's card for people posted, or brought up to date."""

    def after_commit(self, call: Callable[[], None]) -> None:
        """Have `call` run on the event loop once the transaction is committed; never if it is not."""

    def savepoint(self) -> AbstractContextManager[None]:
        """What is written inside is undone if an exception leaves it."""


class Store(Protocol):
    """Durable state."""

    async def transaction(self, function: Callable[[Transaction], T], *, durable: bool = True) -> T:
        """Run `function` in one transaction.

        durable: whether the commit waits for the disk.  False is for progress that is simply made again
        after a power cut (nothing was acknowledged, nothing left); it reaches the disk with the next one.
        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One answer of the model, its content kept as the plain JSON it came as."""

    content: list[JsonObject]
    stop_reason: str | None
    usage: Usage


class Model(Protocol):
    """A model behind the Messages API.  Raises ModelError and nothing else."""

    async def reply(self, spec: Spec, messages: list[JsonObject], *, max_tokens: int) -> Reply: ...


class Channel(Protocol):
    """One way out of the company.  Raises ChannelError and nothing else."""

    async def send(self, letter: Letter) -> JsonObject:
        """Send the letter along its route; the receipt comes back."""


class Channels(Channel, Protocol):
    """All ways out: which one a reply takes is settled, and shown, before anybody decides about it."""

    def route(self, lead: Lead) -> Route:
        """How a reply to this lead would leave."""
