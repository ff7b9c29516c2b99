"""Agents whose runs come to a result: what such an agent says, and what the engine makes of it.

The model answers; the program decides what the run came to, from the transcript and the decided proposal
alone, so it comes to the same after every restart.  An agent without these methods ends as the model says.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from agent.errors import Failure
from agent.jsontext import JsonObject
from agent.proposals import Proposal
from agent.runs import Lead, Run, RunStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What the program found by a rule of its own: the journal's record of the rule `name`."""

    name: str
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """Where a run stands: its status, the result as JSON, the reason where it is not simply done.

    text: one line for people; findings: journaled before the end.
    """

    status: RunStatus
    result: JsonObject
    text: str
    reason: str | None = None
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An irreversible operation that is asked for and connected to no tool: only a person can decide it."""

    operation: str
    arguments: JsonObject
    name: str | None = None


@runtime_checkable
class Concluding(Protocol):
    """What an agent adds whose runs come to a result."""

    def refuse(self, lead: Lead) -> Conclusion | None:
        """The end of a run whose input is refused before the model is asked; None if the input is fine."""

    def failed(self, lead: Lead, failure: Failure) -> Conclusion:
        """The end of a run whose tool failed, after the tries that it allows."""

    def conclude(
        self, run: Run, lead: Lead, messages: Sequence[JsonObject], proposal: Proposal | None
    ) -> Conclusion | Request:
        """What a finished answer amounts to: a request, or how it stands once there is its proposal."""

    def broke_off(self, run: Run, lead: Lead, status: RunStatus, proposal: Proposal | None) -> Conclusion:
        """The end of a run that the engine ended as `status`: a limit, a fault of the model, a bug."""
