"""Proposals: what the agent asks to do, what a person said of it, and what came of it.

    pending ──> approved ──> executing ──> executed
       │           │  ^         ├────────> failed
       │           │  └─────────┤ (certainly not sent)
       │           └─> failed   └────────> uncertain ──> executed | approved | failed, by a person
       └──> denied | expired | superseded

Approved, executed and delivered are three facts.  `confirmation` and `execution` read the first two off the
state; the third is the channel's receipt.
"""

import secrets
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never

from agent.jsontext import JsonObject, digest
from agent.runs import Person


class ProposalState(StrEnum):
    """See the drawing above."""

    PENDING = "pending"
    APPROVED = "approved"
    EXECUTING = "executing"
    EXECUTED = "executed"
    FAILED = "failed"
    UNCERTAIN = "uncertain"
    DENIED = "denied"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"


class Confirmation(StrEnum):
    """What people decided."""

    NOT_REQUESTED = "not_requested"
    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"


class Execution(StrEnum):
    """What was done about it."""

    NOT_APPLICABLE = "not_applicable"
    NOT_ATTEMPTED = "not_attempted"
    EXECUTING = "executing"
    EXECUTED = "executed"
    CANCELLED = "cancelled"
    FAILED = "failed"
    UNCERTAIN = "uncertain"


class Verdict(StrEnum):
    """What a person can say: of a pending proposal the first two, of an uncertain one the last three."""

    APPROVE = "approve"
    DENY = "deny"
    WAS_SENT = "was_sent"
    SEND_AGAIN = "send_again"
    DROP = "drop"

    @property
    def applies_to(self) -> ProposalState:
        match self:
            case Verdict.APPROVE | Verdict.DENY:
                return ProposalState.PENDING
            case Verdict.WAS_SENT | Verdict.SEND_AGAIN | Verdict.DROP:
                return ProposalState.UNCERTAIN
        assert_never(self)

    @property
    def note(self) -> str | None:
        """What the proposal says of itself afterwards, where its state alone would mislead."""
        return "an operator settled that it was not sent" if self is Verdict.DROP else None

    @property
    def leads_to(self) -> ProposalState:
        match self:
            case Verdict.APPROVE | Verdict.SEND_AGAIN:
                return ProposalState.APPROVED
            case Verdict.DENY:
                return ProposalState.DENIED
            case Verdict.WAS_SENT:
                return ProposalState.EXECUTED
            case Verdict.DROP:
                return ProposalState.FAILED
        assert_never(self)


_NEXT: dict[ProposalState, frozenset[ProposalState]] = {
    ProposalState.PENDING: frozenset(
        {ProposalState.APPROVED, ProposalState.DENIED, ProposalState.EXPIRED, ProposalState.SUPERSEDED}
    ),
    ProposalState.APPROVED: frozenset({ProposalState.EXECUTING, ProposalState.FAILED}),
    ProposalState.EXECUTING: frozenset(
        {ProposalState.EXECUTED, ProposalState.FAILED, ProposalState.UNCERTAIN, ProposalState.APPROVED}
    ),
    ProposalState.UNCERTAIN: frozenset(
        {ProposalState.EXECUTED, ProposalState.APPROVED, ProposalState.FAILED}
    ),
    ProposalState.EXECUTED: frozenset(),
    ProposalState.FAILED: frozenset(),
    ProposalState.DENIED: frozenset(),
    ProposalState.EXPIRED: frozenset(),
    ProposalState.SUPERSEDED: frozenset(),
}


def legal(before: ProposalState, after: ProposalState) -> bool:
    """Whether the drawing has an arrow from `before` to `after`."""
    return after in _NEXT[before]


def new_token() -> str:
    """128 random bits for a card's buttons: cannot be guessed, and dies with the state it was made for."""
    return secrets.token_urlsafe(16)


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """An external action with its exact arguments; what is approved is `arguments_hash`."""

    id: int
    run_id: int
    call_id: str
    tool: str
    arguments: JsonObject
    arguments_hash: str
    token: str
    state: ProposalState
    created_at: int
    expires_at: int
    available: bool = True
    irreversible: bool = True
    execute_after: int = 0
    decided_by: Person | None = None
    decided_at: int | None = None
    began_at: int | None = None
    executed_at: int | None = None
    note: str | None = None
    name: str | None = None

    @property
    def proposal_id(self) -> str:
        return self.name or f"P-{self.id}"

    @property
    def unaltered(self) -> bool:
        """Whether the stored arguments still are the approved ones."""
        return digest(self.arguments) == self.arguments_hash

    def moved(
        self, after: ProposalState, at: int, *, note: str | None = None, execute_after: int = 0
    ) -> "Proposal":
        """As it is after an arrow of the drawing; `at` becomes when its execution began or ended.

        A new token comes with `uncertain`, so that no press meant for an earlier state settles it.
        """
        ended = after in (ProposalState.EXECUTED, ProposalState.FAILED, ProposalState.UNCERTAIN)
        return replace(
            self,
            state=after,
            note=note or self.note,
            execute_after=execute_after,
            began_at=at if after is ProposalState.EXECUTING else self.began_at,
            executed_at=at if ended else self.executed_at,
            token=new_token() if after is ProposalState.UNCERTAIN else self.token,
        )

    def decided(self, verdict: Verdict, person: Person, at: int) -> "Proposal":
        """As it is after a person's verdict."""
        return replace(
            self,
            state=verdict.leads_to,
            note=verdict.note,
            execute_after=0,
            decided_by=person,
            decided_at=at,
        )

    @property
    def confirmation(self) -> Confirmation:
        match self.state:
            case ProposalState.PENDING:
                return Confirmation.PENDING
            case ProposalState.DENIED:
                return Confirmation.DENIED
            case ProposalState.EXPIRED:
                return Confirmation.EXPIRED
            case ProposalState.SUPERSEDED:
                return Confirmation.SUPERSEDED
            case (
                ProposalState.APPROVED
                | ProposalState.EXECUTING
                | ProposalState.EXECUTED
                | ProposalState.FAILED
                | ProposalState.UNCERTAIN
            ):
                return Confirmation.APPROVED
        assert_never(self.state)

    @property
    def execution(self) -> Execution:
        match self.state:
            case ProposalState.PENDING | ProposalState.APPROVED:
                return Execution.NOT_ATTEMPTED
            case ProposalState.DENIED | ProposalState.EXPIRED | ProposalState.SUPERSEDED:
                return Execution.CANCELLED
            case ProposalState.EXECUTING:
                return Execution.EXECUTING
            case ProposalState.EXECUTED:
                return Execution.EXECUTED
            case ProposalState.FAILED:
                return Execution.FAILED
            case ProposalState.UNCERTAIN:
                return Execution.UNCERTAIN
        assert_never(self.state)


class Refusal(StrEnum):
    """Why a verdict changed nothing."""

    UNKNOWN = "unknown"
    ALREADY_DECIDED = "already_decided"
    EXPIRED = "expired"
    OUTDATED = "outdated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What became of a verdict: the proposal as it is now, and the refusal if it changed nothing.

    waits: the manual stop is on, so what was decided waits until it is off.
    """

    verdict: Verdict
    proposal: Proposal | None
    refusal: Refusal | None = None
    waits: bool = False
