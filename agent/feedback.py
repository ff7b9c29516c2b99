"""Feedback: what somebody expected of a run, beside what it was given and what it made of it."""

from dataclasses import dataclass

from agent.clock import iso
from agent.jsontext import JsonObject
from agent.runs import Person, Run


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """One remark.  `input`, `result` and `versions` are the run's at that moment, as JSON.

    run_name: replaces run-12 where the run has a name of its own.
    """

    run_id: int
    expected: str
    input: JsonObject
    result: JsonObject
    versions: JsonObject
    by: Person
    at: int
    id: int = 0
    run_name: str | None = None

    @property
    def feedback_id(self) -> str:
        return f"F-{self.id}"

    def as_json(self) -> JsonObject:
        """One entry of `lead-agent feedback --json`."""
        return {
            "feedback_id": self.feedback_id,
            "run_id": self.run_name or Run.name_of(self.run_id),
            "expected": self.expected,
            "by": {"id": self.by.id, "name": self.by.name},
            "at": iso(self.at),
            "input": self.input,
            "result": self.result,
            "versions": self.versions,
        }
