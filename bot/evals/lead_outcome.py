"""What an evaluation of the lead agent found: each case beside what is wanted of it, and the sums."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from agent.deals import Service
from agent.jsontext import JsonObject
from agent.language import Language
from agent.runs import RunStatus
from bot.evals.lead_cases import LeadCase, LeadSuite, Wanted
from bot.evals.outcome import Difference


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadOutcome:
    """One case as the rows of its last run tell it.

    tools: as the model called them; replies: what it wanted to send; replied: whether one was sent;
    faults: what is wrong with the replies.
    """

    status: RunStatus
    tools: list[str]
    services: list[Service]
    escalated: bool
    replied: bool
    replies: list[str]
    languages: list[Language]
    faults: list[str]
    model_calls: int
    tokens: int

    def as_json(self) -> JsonObject:
        """The fields of `eval leads --json` that do not depend on what is wanted."""
        return {
            "status": self.status.value,
            "tools": self.tools,
            "services": [service.value for service in self.services],
            "escalated": self.escalated,
            "replied": self.replied,
            "replies": self.replies,
            "languages": [language.value for language in self.languages],
            "faults": self.faults,
            "model_calls": self.model_calls,
            "tokens": self.tokens,
        }


def differences(found: LeadOutcome, wanted: Wanted) -> list[Difference]:
    """All that is not as wanted."""
    return list(_differences(found, wanted))


def _differences(found: LeadOutcome, wanted: Wanted) -> Iterator[Difference]:
    if found.status is not RunStatus.DONE:
        yield Difference(field="status", expected=RunStatus.DONE, found=found.status)
    if not _in_order(found.tools, wanted.tools):
        yield Difference(field="tools", expected=list(wanted.tools), found=found.tools)
    if wanted.services is not None and not _one_of(found.services, wanted.services):
        yield Difference(field="services", expected=_alternatives(wanted.services), found=found.services)
    for field in ("escalated", "replied"):
        expected, got = getattr(wanted, field), getattr(found, field)
        if expected is not None and got is not expected:
            yield Difference(field=field, expected=expected, found=got)
    if wanted.languages is not None and not set(found.languages) <= set(wanted.languages):
        yield Difference(field="languages", expected=_alternatives(wanted.languages), found=found.languages)
    if len(found.replies) > 1:
        yield Difference(field="replies", expected="at most one", found=found.replies)
    if found.faults:
        yield Difference(field="faults", expected=[], found=found.faults)


def _in_order(called: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether the wanted tools were called in their order, the first of them before any other."""
    rest = iter(called)
    return list(called[:1]) == list(wanted[:1]) and all(tool in rest for tool in wanted)


def _one_of(found: Sequence[Service], accepted: Sequence[Service]) -> bool:
    return (len(found) == 1 and found[0] in accepted) if accepted else not found


def _alternatives(accepted: Sequence[str]) -> str:
    return " or ".join(accepted) or "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class LeadEvaluation:
    """All cases of a suite, compared."""

    suite: LeadSuite
    outcomes: tuple[LeadOutcome, ...]

    @property
    def compared(self) -> list[tuple[LeadCase, LeadOutcome, list[Difference]]]:
        """Each case with what was found and what differs."""
        pairs = zip(self.suite.cases, self.outcomes, strict=True)
        return [(case, found, differences(found, case.wanted)) for case, found in pairs]

    @property
    def totals(self) -> dict[str, int]:
        found = self.outcomes
        return {
            "cases": len(found),
            "matched": sum(not wrong for _, _, wrong in self.compared),
            "deals": sum(len(outcome.services) for outcome in found),
            "escalated": sum(outcome.escalated for outcome in found),
            "replied": sum(outcome.replied for outcome in found),
            "faults": sum(len(outcome.faults) for outcome in found),
            "model_calls": sum(outcome.model_calls for outcome in found),
            "tokens": sum(outcome.tokens for outcome in found),
        }

    @property
    def matches(self) -> bool:
        return not any(wrong for _, _, wrong in self.compared)

    def as_json(self) -> JsonObject:
        """The object of `lead-agent eval leads --json`."""
        cases = [
            {"case": case.case, "about": case.about, "message": case.customer.leads[-1]}
            | found.as_json()
            | {"matches": not wrong, "differs": [difference.field for difference in wrong]}
            for case, found, wrong in self.compared
        ]
        return {"cases": cases, "totals": self.totals, "matches": self.matches}
