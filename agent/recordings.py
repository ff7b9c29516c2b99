"""What a run was given and what it did, read off its rows: kept with feedback, compared, replayed."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from agent import transcript
from agent.jsontext import JsonObject
from agent.proposals import Proposal
from agent.runs import Lead, RunStatus
from agent.views import RunReport


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """One call of a tool; `result` is what the model was told, None while it was told nothing."""

    tool: str
    arguments: JsonObject
    result: str | None
    is_error: bool

    def as_json(self) -> JsonObject:
        return {"tool": self.tool, "arguments": self.arguments, "result": self.result}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A run as data.  `later` holds what the lead wrote during it, by the number of replies before.

    name, outcome: of a run that has a name or a result of its own.
    """

    agent: str
    lead: Lead
    later: Mapping[int, list[JsonObject]]
    calls: list[RecordedCall]
    proposals: list[Proposal]
    status: RunStatus
    text: str
    reason: str | None
    name: str | None = None
    outcome: JsonObject | None = None

    @property
    def input(self) -> JsonObject:
        """All that came from outside."""
        lead = self.lead
        return {
            "agent": self.agent,
            "lead": {
                "source": lead.source,
                "name": lead.name,
                "phone": lead.phone,
                "message": lead.message,
            },
            "later": [words for group in self.later.values() for words in group],
        }

    @property
    def result(self) -> JsonObject:
        """All that the agent made of it, and what people decided."""
        return {
            "status": self.status.value,
            "text": self.text,
            "reason": self.reason,
            "outcome": self.outcome,
            "calls": [call.as_json() for call in self.calls],
            "proposals": [
                {"tool": proposal.tool, "arguments": proposal.arguments, "state": proposal.state.value}
                for proposal in self.proposals
            ],
        }


def recording_of(report: RunReport, fragments: Iterable[JsonObject]) -> Recording:
    """The recording of a run from its rows."""
    fragments = list(fragments)
    run = report.view.run
    return Recording(
        agent=run.agent,
        lead=report.view.lead,
        later=_later(fragments),
        calls=_calls(fragments),
        proposals=report.view.proposals,
        status=run.status,
        text=run.text,
        reason=run.reason,
        name=run.name,
        outcome=run.result,
    )


def _later(fragments: list[JsonObject]) -> dict[int, list[JsonObject]]:
    replies, found = 0, dict[int, list[JsonObject]]()
    for fragment in fragments:
        if fragment["role"] == "assistant":
            replies += 1
        elif (words := transcript.data_in(fragment, transcript.FURTHER)) is not None:
            found.setdefault(replies, []).extend(words)
    return found


def _calls(fragments: list[JsonObject]) -> list[RecordedCall]:
    blocks = [block for fragment in fragments for block in fragment["content"]]
    results = {block["tool_use_id"]: block for block in blocks if block["type"] == "tool_result"}
    return [
        _call(block, results.get(block["id"]))
        for fragment in fragments
        if fragment["role"] == "assistant"
        for block in fragment["content"]
        if block["type"] == "tool_use"
    ]


def _call(block: JsonObject, result: JsonObject | None) -> RecordedCall:
    return RecordedCall(
        tool=block["name"],
        arguments=block["input"],
        result=result["content"] if result else None,
        is_error=bool(result and result.get("is_error")),
    )


def parsed(content: str) -> JsonObject | None:
    """A tool result as the tool returned it; None if it was no JSON object."""
    try:
        value = json.loads(content)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
