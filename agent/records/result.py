"""What a record run comes to: the specification's eleven fields, checked before anything is stored."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, StringConstraints, model_validator

from agent.proposals import Confirmation, Execution, Proposal

Words = Annotated[str, StringConstraints(min_length=1, max_length=300)]


class Category(StrEnum):
    """What a record is about."""

    SYNTHETIC_REQUEST = "synthetic_request"
    UNKNOWN = "unknown"


class Status(StrEnum):
    """How far the classification is."""

    COMPLETED = "completed"
    FAILED = "failed"
    DENIED = "denied"
    AWAITING_CONFIRMATION = "awaiting_confirmation"


class Operation(StrEnum):
    """The intents that a record may ask for.  None of them is a connected tool."""

    DELETE_DEMO_RECORD = "delete_demo_record"


class Reason(StrEnum):
    """Why a run did not simply complete, or why a person has to look at it."""

    MISSING_RECORD_ID = "missing_record_id"
    MISSING_REQUESTED_DATE = "missing_requested_date"
    UNKNOWN_CATEGORY = "unknown_category"
    UNTRUSTED_INSTRUCTION_DETECTED = "untrusted_instruction_detected"
    RETRY_EXHAUSTED = "retry_exhausted"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    UNKNOWN_RESULT = "unknown_result"
    INVALID_MODEL_ANSWER = "invalid_model_answer"
    MODEL_FAILED = "model_failed"
    LIMIT_REACHED = "limit_reached"
    WRITE_TOOL_UNAVAILABLE = "write_tool_unavailable"
    HUMAN_DENIED = "human_denied"
    CONFIRMATION_EXPIRED = "confirmation_expired"


class _Checked(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RequestedArguments(_Checked):
    """The arguments of every intent: the run's own record and nothing else."""

    record_id: Words


class ActionRequest(_Checked):
    """An operation that was asked for, with its exact arguments."""

    proposal_id: str
    requested_operation: Operation
    arguments: RequestedArguments
    irreversible: bool
    available: bool

    @classmethod
    def of(cls, proposal: Proposal) -> Self:
        return cls(
            proposal_id=proposal.proposal_id,
            requested_operation=Operation(proposal.tool),
            arguments=RequestedArguments.model_validate(proposal.arguments),
            irreversible=proposal.irreversible,
            available=proposal.available,
        )


# What can be true together.  `expired` goes beyond the specification, whose runs all get a decision.
_TOGETHER = frozenset(
    {
        (Status.COMPLETED, Confirmation.NOT_REQUESTED, Execution.NOT_APPLICABLE),
        (Status.FAILED, Confirmation.NOT_REQUESTED, Execution.NOT_APPLICABLE),
        (Status.DENIED, Confirmation.NOT_REQUESTED, Execution.NOT_APPLICABLE),
        (Status.AWAITING_CONFIRMATION, Confirmation.PENDING, Execution.NOT_ATTEMPTED),
        (Status.FAILED, Confirmation.APPROVED, Execution.NOT_ATTEMPTED),
        (Status.DENIED, Confirmation.DENIED, Execution.CANCELLED),
        (Status.FAILED, Confirmation.EXPIRED, Execution.CANCELLED),
    }
)


class RecordResult(_Checked):
    """The structured answer of one run."""

    record_id: str | None
    category: Category
    requested_date: date | None
    summary: Words
    needs_human: bool
    proposed_action: Words | None
    status: Status
    confirmation_status: Confirmation = Confirmation.NOT_REQUESTED
    execution_status: Execution = Execution.NOT_APPLICABLE
    action_request: ActionRequest | None = None
    reason: Reason | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        facts = (self.status, self.confirmation_status, self.execution_status)
        if facts not in _TOGETHER:
            raise ValueError(f"{', '.join(facts)} cannot be true together")
        if (self.action_request is None) is not (self.confirmation_status is Confirmation.NOT_REQUESTED):
            raise ValueError("a confirmation belongs to an action request")
        if self.status is not Status.COMPLETED and not self.needs_human:
            raise ValueError("what is not completed is a person's to look at")
        return self
