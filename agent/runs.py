"""Leads and runs: what is worked on, and how far it is."""

from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import assert_never

from agent.jsontext import JsonObject, digest
from agent.limits import Limits, Usage
from agent.names import number_in
from agent.phones import Phone


class RunStatus(StrEnum):
    """Where a run is.  The four ends after `awaiting_confirmation` are the specification's words."""

    QUEUED = "queued"
    RUNNING = "running"
    AWAITING_CONFIRMATION = "awaiting_confirmation"
    DONE = "done"
    STOPPED = "stopped"
    MAX_STEPS = "max_steps"
    BUDGET = "budget"
    FAILED = "failed"
    DENIED = "denied"
    CANCELLED = "cancelled"

    @property
    def over(self) -> bool:
        """Whether nothing more will happen in such a run."""
        match self:
            case RunStatus.QUEUED | RunStatus.RUNNING | RunStatus.AWAITING_CONFIRMATION:
                return False
            case (
                RunStatus.DONE
                | RunStatus.STOPPED
                | RunStatus.MAX_STEPS
                | RunStatus.BUDGET
                | RunStatus.FAILED
                | RunStatus.DENIED
                | RunStatus.CANCELLED
            ):
                return True
        assert_never(self)


# The source of leads who write to the bot; others have the names of website forms.
TELEGRAM = "telegram"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """A request of one contact.  `message` is the person's own words: data, never instructions.

    source: TELEGRAM, or the name of the website form.  phone: what to call, in E.164 if it is sure of the
    `phones`, else as it was written.  raw_only: the form could not be read, and `message` is all of it.
    """

    id: int
    contact_id: int
    source: str
    name: str
    phone: str | None
    message: str
    telegram_id: int | None = None
    phones: tuple[Phone, ...] = ()
    emails: tuple[str, ...] = ()
    raw_only: bool = False
    spam: bool = False

    @staticmethod
    def name_of(id: int) -> str:
        return f"L-{id}"

    @staticmethod
    def id_of(name: str) -> int | None:
        """The id in L-12 or 12; None if that is no lead's name."""
        return number_in(name, "L")

    @property
    def lead_id(self) -> str:
        return self.name_of(self.id)

    @property
    def given_name(self) -> str | None:
        """The person's name; None where the lead goes by its number, its address or its source."""
        return None if self.name in (self.phone, *self.emails, self.source) else self.name


# What a run of words comes to, where no agent says otherwise: the model's last line.
TEXT: JsonObject = {"title": "text", "type": "string"}


@dataclass(frozen=True, kw_only=True)
class Spec:
    """What the model is told apart from the transcript, and the titled schema of what comes of it.

    Stored with every run by `hash`: a paused run resumes with the prompt, model and tools it began with,
    since thinking blocks are bound to them (Messages API) and so that a deploy changes no run under way.
    """

    agent: str
    model: str
    system: str
    tools: list[JsonObject]
    max_tokens: int = 16_000
    result_schema: JsonObject = field(default_factory=lambda: TEXT)

    @cached_property
    def hash(self) -> str:
        return digest([self.agent, self.model, self.system, self.tools, self.max_tokens, self.result_schema])


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One agent at work on one lead.

    `epoch` is raised by every claim and `seq` by every transcript fragment: an append that names an old
    pair comes from a worker that lost the run, and fails.  `name` replaces run-12 where the agent names its
    runs; `result` is what an agent with results has come to so far.
    """

    id: int
    agent: str
    lead_id: int
    contact_id: int
    spec_hash: str
    status: RunStatus
    limits: Limits
    created_at: int
    epoch: int = 0
    seq: int = 0
    steps: int = 0
    usage: Usage = field(default_factory=Usage)
    attempts: int = 0
    failing_since: int | None = None
    retry_at: int | None = None
    text: str = ""
    reason: str | None = None
    finished_at: int | None = None
    name: str | None = None
    result: JsonObject | None = None

    @staticmethod
    def name_of(id: int) -> str:
        return f"run-{id}"

    @staticmethod
    def id_of(name: str) -> int | None:
        """The id in a run's name as people write it: run-12, RUN-12 or 12; None for anything else."""
        return number_in(name, "run")

    @property
    def run_id(self) -> str:
        return self.name or self.name_of(self.id)

    @property
    def lead_name(self) -> str:
        return Lead.name_of(self.lead_id)

    def at_seq(self, seq: int) -> "Run":
        return replace(self, seq=seq)


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody who decided: a Telegram user id and the name shown at that moment."""

    id: int
    name: str

    def __str__(self) -> str:
        """As the journal and the commands name them."""
        return f"{self.name} ({self.id})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """One turn of the manual stop: on (`paused`) or off again, by whom and when."""

    paused: bool
    by: Person
    at: int
