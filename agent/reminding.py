"""When people are told again of what waits for them.  Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Reminding:
    """A reminder, then one escalation after another, while nobody decides.

    remind, escalate: milliseconds from when a proposal became pending to the reminder and to the first
    escalation, and from each escalation to the next; 0 is never.  rounds: how many escalations there can be.
    """

    remind: int = 0
    escalate: int = 0
    rounds: int = 0

    def first(self, since: int) -> int | None:
        """When people are told for the first time of what is pending since then (ms)."""
        waits = [wait for wait in (self.remind, self.escalate if self.rounds else 0) if wait]
        return since + min(waits) if waits else None

    def escalates(self, since: int, at: int, escalated: int) -> bool:
        """Whether telling at `at` is an escalation, `escalated` of which there were before."""
        return 0 < self.escalate <= at - since and escalated < self.rounds

    def after(self, since: int, at: int, escalated: int) -> int | None:
        """When people are told next, once they were told at `at`; `escalated` counts that time too."""
        if not self.escalate or escalated >= self.rounds:
            return None
        return at + self.escalate if escalated else since + self.escalate

    @property
    def together(self) -> int:
        """What is due within so many milliseconds is told of at once: a group takes few messages a minute."""
        waits = [wait for wait in (self.remind, self.escalate) if wait]
        return min([60_000, *(wait // 10 for wait in waits)])
