"""Proposals: what the agent asks to do, what a person said of it, and what came of it.

                 undone
       ┌─────────────┐
    pending ──> approved ──> executing ──> executed
      │ ^ │      │ │  ^         ├────────> failed
      │ │ │      │ │  └─────────┤ (certainly not sent)
      │ │ │      │ └─> failed   └────────> uncertain ──> executed | approved | failed, by a person
      │ │ │      └──> handed_over ──> executed | failed, by the person who was to send it
      │ │ └──> denied | expired | superseded
      │ └────── a new version: by a person at once, or by the agent after
      └──────> revising ──> superseded

Approved, executed and delivered are three facts.  `confirmation` and `execution` read the first two off the
state; the third is the channel's receipt.  Every version has a token of its own, and so has every return to
`pending`: a press counts for exactly what its card showed.
"""

import secrets
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never

from agent.channels import ChannelKind, Route
from agent.jsontext import JsonObject, digest
from agent.marks import Mark
from agent.runs import Person


class ProposalState(StrEnum):
    """See the drawing above."""

    PENDING = "pending"
    REVISING = "revising"
    APPROVED = "approved"
    EXECUTING = "executing"
    EXECUTED = "executed"
    FAILED = "failed"
    UNCERTAIN = "uncertain"
    HANDED_OVER = "handed_over"
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
    HANDED_OVER = "handed_over"


class Verdict(StrEnum):
    """What a person can say without words of their own.

    Of a pending proposal the first two, of an approved one that has not begun to be carried out UNDO, of an
    uncertain one the three after it, of one that was handed over the last two.
    """

    APPROVE = "approve"
    DENY = "deny"
    UNDO = "undo"
    WAS_SENT = "was_sent"
    SEND_AGAIN = "send_again"
    DROP = "drop"
    DELIVERED = "delivered"
    NOT_REACHED = "not_reached"

    @property
    def applies_to(self) -> ProposalState:
        match self:
            case Verdict.APPROVE | Verdict.DENY:
                return ProposalState.PENDING
            case Verdict.UNDO:
                return ProposalState.APPROVED
            case Verdict.WAS_SENT | Verdict.SEND_AGAIN | Verdict.DROP:
                return ProposalState.UNCERTAIN
            case Verdict.DELIVERED | Verdict.NOT_REACHED:
                return ProposalState.HANDED_OVER
        assert_never(self)

    @property
    def note(self) -> str | None:
        """What the proposal says of itself afterwards, where its state alone would mislead."""
        match self:
            case Verdict.DROP:
                return "an operator settled that it was not sent"
            case Verdict.NOT_REACHED:
                return "an operator could not reach the lead"
        return None

    @property
    def leads_to(self) -> ProposalState:
        match self:
            case Verdict.APPROVE | Verdict.SEND_AGAIN:
                return ProposalState.APPROVED
            case Verdict.DENY:
                return ProposalState.DENIED
            case Verdict.UNDO:
                return ProposalState.PENDING
            case Verdict.WAS_SENT | Verdict.DELIVERED:
                return ProposalState.EXECUTED
            case Verdict.DROP | Verdict.NOT_REACHED:
                return ProposalState.FAILED
        assert_never(self)


class Correction(StrEnum):
    """What a person can say in words: a text of their own, a remark for the agent, why it was denied."""

    EDIT = "edit"
    REWRITE = "rewrite"
    REASON = "reason"

    @property
    def applies_to(self) -> ProposalState:
        return ProposalState.DENIED if self is Correction.REASON else ProposalState.PENDING


_NEXT: dict[ProposalState, frozenset[ProposalState]] = {
    ProposalState.PENDING: frozenset(
        {
            ProposalState.PENDING,
            ProposalState.REVISING,
            ProposalState.APPROVED,
            ProposalState.DENIED,
            ProposalState.EXPIRED,
            ProposalState.SUPERSEDED,
        }
    ),
    ProposalState.REVISING: frozenset({ProposalState.PENDING, ProposalState.SUPERSEDED}),
    ProposalState.APPROVED: frozenset(
        {ProposalState.PENDING, ProposalState.EXECUTING, ProposalState.HANDED_OVER, ProposalState.FAILED}
    ),
    ProposalState.EXECUTING: frozenset(
        {ProposalState.EXECUTED, ProposalState.FAILED, ProposalState.UNCERTAIN, ProposalState.APPROVED}
    ),
    ProposalState.UNCERTAIN: frozenset(
        {ProposalState.EXECUTED, ProposalState.APPROVED, ProposalState.FAILED}
    ),
    ProposalState.HANDED_OVER: frozenset({ProposalState.EXECUTED, ProposalState.FAILED}),
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


def text_in(arguments: JsonObject) -> str | None:
    """The words that leave, where they are all that leaves."""
    text = arguments.get("text")
    return text if len(arguments) == 1 and isinstance(text, str) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """An external action with its exact arguments; what is approved is `arguments_hash`.

    version: counts the texts that were asked about, from 1; edited_by: the person whose text this version
    is, None for the agent's.  remark: how the agent shall write it again.  reason: why it was denied.
    batch: the id of the first proposal of the same reply, where several are decided on one card.
    marks: what of it no source says.  quorum: how many people have to approve it; votes: who has so far.
    execute_after: before that time (ms) an approved action is not begun, and can be undone.
    pending_since: when it was put before people as it is now (ms); remind_at: when they are told of it again,
    None for never; escalated: how many were called on since.
    route: the way it leaves, as the card shows it.  settled_by: the person who said what came of it, where
    it was handed over.
    """

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
    version: int = 1
    edited_by: Person | None = None
    remark: str | None = None
    reason: str | None = None
    batch: int | None = None
    marks: tuple[Mark, ...] = ()
    quorum: int = 1
    votes: tuple[Person, ...] = ()
    route: Route | None = None
    settled_by: Person | None = None
    pending_since: int = 0
    remind_at: int | None = None
    escalated: int = 0

    @property
    def card(self) -> int:
        """The subject of the card that shows it: the first proposal of its batch."""
        return self.batch or self.id

    @property
    def proposal_id(self) -> str:
        return self.name or f"P-{self.id}"

    @property
    def text(self) -> str | None:
        """The words that leave, where they are all that leaves."""
        return text_in(self.arguments)

    @property
    def rule_id(self) -> int | None:
        """The rule that approved it, and no person; see agent.rules."""
        by = self.decided_by
        return -by.id if by is not None and by.id < 0 else None

    @property
    def needed(self) -> int:
        """How many people have to approve while it waits: where others have to, one more than have."""
        return max(self.quorum, len(self.votes) + 1)

    @property
    def key(self) -> str:
        """The same for every try of this action and of no other, not even in another database."""
        facts = [self.id, self.created_at, self.call_id, self.arguments_hash]
        return f"{self.proposal_id}.{digest(facts)[:16]}"

    @property
    def by_hand(self) -> bool:
        """Whether a person carries it out, and not the program."""
        return self.route is not None and self.route.kind is ChannelKind.HAND_OVER

    @property
    def delivered(self) -> bool:
        """Whether a person says that it arrived; of other channels only that they took it is known."""
        return self.state is ProposalState.EXECUTED and self.by_hand

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

    def decided(
        self,
        verdict: Verdict,
        person: Person,
        at: int,
        *,
        execute_after: int = 0,
        remind_at: int | None = None,
    ) -> "Proposal":
        """As it is after a person's verdict.  What is undone is undecided again, under another token."""
        if self.state is ProposalState.HANDED_OVER:  # who approved it stays
            return replace(self, state=verdict.leads_to, note=verdict.note, executed_at=at, settled_by=person)
        undone = verdict is Verdict.UNDO
        return replace(
            self,
            state=verdict.leads_to,
            note=verdict.note,
            execute_after=execute_after,
            decided_by=None if undone else person,
            decided_at=None if undone else at,
            token=new_token() if undone else self.token,
            votes=() if undone else self.votes,
            pending_since=at if undone else self.pending_since,
            remind_at=remind_at if undone else self.remind_at,
            escalated=0 if undone else self.escalated,
        )

    def revised(
        self,
        arguments: JsonObject,
        *,
        by: Person | None,
        call_id: str,
        at: int,
        expires_at: int,
        remind_at: int | None = None,
        marks: tuple[Mark, ...] = (),
        quorum: int = 1,
    ) -> "Proposal":
        """Its next version, which nobody has decided on: another text under another token."""
        return replace(
            self,
            state=ProposalState.PENDING,
            call_id=call_id,
            arguments=arguments,
            arguments_hash=digest(arguments),
            token=new_token(),
            version=self.version + 1,
            edited_by=by,
            expires_at=expires_at,
            marks=marks,
            quorum=quorum,
            votes=(),
            pending_since=at,
            remind_at=remind_at,
            escalated=0,
        )

    @property
    def confirmation(self) -> Confirmation:
        match self.state:
            case ProposalState.PENDING | ProposalState.REVISING:
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
                | ProposalState.HANDED_OVER
            ):
                return Confirmation.APPROVED
        assert_never(self.state)

    @property
    def execution(self) -> Execution:
        match self.state:
            case ProposalState.PENDING | ProposalState.REVISING | ProposalState.APPROVED:
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
            case ProposalState.HANDED_OVER:
                return Execution.HANDED_OVER
        assert_never(self.state)


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """What was proposed before, and whose words they were (None: the agent's)."""

    version: int
    arguments: JsonObject
    edited_by: Person | None


class Outdated(StrEnum):
    """Why a proposal was superseded, where it was not the lead's next words."""

    TAKEN_OVER = "a person answers instead"
    NOT_WRITTEN = "the agent did not write it again"


class DenialReason(StrEnum):
    """Reasons of one tap, in the words that the model is told."""

    WRONG_FACTS = "the facts in it are wrong"
    TONE = "the tone is not right"
    WILL_CALL = "a person will call the lead"
    SPAM = "the lead is spam"


class TextFault(StrEnum):
    """Why a person's own text was refused."""

    TOO_SHORT = "string_too_short"
    TOO_LONG = "string_too_long"
    OTHER = "other"


class Refusal(StrEnum):
    """Why a verdict changed nothing."""

    UNKNOWN = "unknown"
    ALREADY_DECIDED = "already_decided"
    EXPIRED = "expired"
    OUTDATED = "outdated"
    INVALID = "invalid"
    NOT_ALLOWED = "not_allowed"
    VOTED = "voted"
    MARKED = "marked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What became of a verdict: the proposal as it is now, and the refusal if it changed nothing.

    waits: the manual stop is on, so what was decided waits until it is off.  missing: how many more people
    have to approve before it counts.  heard: whether the agent is told the reason of a denial.  fault, bound:
    why a person's own text was refused, and the number of letters that it has to keep to.
    """

    verdict: Verdict | Correction
    proposal: Proposal | None
    refusal: Refusal | None = None
    waits: bool = False
    missing: int = 0
    heard: bool = False
    fault: TextFault | None = None
    bound: int | None = None
