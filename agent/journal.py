"""The journal: one record for every step, never changed afterwards."""

from dataclasses import dataclass
from enum import StrEnum

from agent.clock import iso
from agent.jsontext import JsonObject
from agent.runs import Run


class Kind(StrEnum):
    """What a record is about."""

    MODEL = "model"
    TOOL = "tool"
    PROPOSAL = "proposal"
    DECISION = "decision"
    EXECUTION = "execution"
    RUN = "run"
    CHECK = "check"
    TALK = "talk"


class ToolOutcome(StrEnum):
    """The specification's outcomes of a tool call."""

    OK = "ok"
    INVALID = "invalid"
    REJECTED = "rejected"
    ERROR = "error"
    UNKNOWN_TOOL = "unknown_tool"


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One step of a run.

    `outcome` is the stop reason for the model, a `ToolOutcome` for tools, a state for the rest; `ms` is how
    long it took; `tokens` include cache tokens; `attempt` counts the tries of a tool that may be tried again,
    whose `note` then is the type of the error.  `seq` is given by the store.
    """

    step: int
    kind: Kind
    name: str
    outcome: str
    ms: int
    tokens: int | None = None
    input: JsonObject | None = None
    proposal_id: str | None = None
    note: str | None = None
    attempt: int | None = None
    at: int = 0
    seq: int = 0
    run_id: str = ""

    @classmethod
    def of_run(cls, run: Run, outcome: str, at: int, *, note: str | None, kind: Kind = Kind.RUN) -> "Record":
        """What happened to a run as a whole, at the time `at` (ms)."""
        return cls(
            step=run.steps,
            kind=kind,
            name=run.agent,
            outcome=outcome,
            ms=0,
            note=note,
            at=at,
            run_id=run.run_id,
        )

    def as_json(self) -> JsonObject:
        """The line that `lead-agent journal --json` prints: fields that do not apply are left out."""
        line: JsonObject = {
            "seq": self.seq,
            "at": iso(self.at),
            "step": self.step,
            "kind": self.kind.value,
            "name": self.name,
            "outcome": self.outcome,
            "ms": self.ms,
        }
        for field in ("tokens", "input", "attempt", "proposal_id", "note"):
            if (value := getattr(self, field)) is not None:
                line[field] = value
        return line
