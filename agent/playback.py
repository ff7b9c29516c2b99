"""A run again from its recording: the same input and decisions, nothing touched, nothing sent.

Results of tools are read back.  A call that the recording does not know works on the store given, which
holds nothing but this run.  Only the model is asked anew.
"""

from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

from agent.channels import Route
from agent.clock import now
from agent.engine import Engine
from agent.errors import Failure, OutcomeUnknown, Undeliverable
from agent.jsontext import JsonObject
from agent.limits import Limits
from agent.policies import Policies
from agent.ports import Model, Reply, Store, Transaction
from agent.proposals import Proposal, ProposalState, Verdict
from agent.recordings import RecordedCall, Recording, parsed
from agent.results import Concluding, Conclusion, Request
from agent.runs import Lead, Person, Run, RunStatus, Spec
from agent.tools import Arguments, Scope, Tool
from agent.turn import Agent, Policy

Write = Callable[[JsonObject], Awaitable[None]]
NOBODY = Person(id=0, name="replay")
# States from which nothing follows yet: there the run waits again.
_UNDECIDED = (ProposalState.PENDING, ProposalState.SUPERSEDED)


class Tape:
    """What a recording still has to say: results by tool, in the order in which they were given."""

    def __init__(self, recording: Recording) -> None:
        self._calls: defaultdict[str, deque[RecordedCall]] = defaultdict(deque)
        for call in recording.calls:
            if call.result is not None and not call.is_error:
                self._calls[call.tool].append(call)
        self._proposals: defaultdict[str, deque[Proposal]] = defaultdict(deque)
        for proposal in recording.proposals:
            self._proposals[proposal.tool].append(proposal)
        self._released: deque[Proposal] = deque()

    def decision(self, tool: str) -> Proposal | None:
        """The next decided proposal of that tool."""
        waiting = self._proposals[tool]
        return waiting.popleft() if waiting and waiting[0].state not in _UNDECIDED else None

    def release(self, recorded: Proposal) -> None:
        """The next thing sent ends as this one did."""
        self._released.append(recorded)

    def tool(self, tool: Tool) -> Tool:
        """The same tool to the model, reading back instead of doing."""
        if tool.run is not None:
            return replace(tool, run=partial(self._read_back, tool))
        if tool.send is None:
            return tool
        return replace(tool, send=self._pretend, route=partial(self._route, tool))

    def _route(self, tool: Tool, lead: Lead) -> Route | None:
        """The way that the recorded one took, whatever the settings are today."""
        waiting = self._proposals[tool.name]
        return waiting[0].route if waiting else tool.route_to(lead)

    def _read_back(self, tool: Tool, arguments: Arguments, scope: Scope) -> JsonObject:
        result = self._result(tool.name, arguments.as_json())
        assert tool.run is not None, "only such tools are read back"
        return tool.run(arguments, scope) if result is None else result

    def _result(self, tool: str, arguments: JsonObject) -> JsonObject | None:
        """The result of the very same call, else of the tool's next one."""
        waiting = self._calls[tool]
        same = [call for call in waiting if call.arguments == arguments]
        if not waiting:
            return None
        call = (same or list(waiting))[0]
        waiting.remove(call)
        return parsed(call.result or "")

    async def _pretend(self, _: Arguments, __: Lead, ___: Proposal) -> JsonObject:
        recorded = self._released.popleft()
        match recorded.state:
            case ProposalState.FAILED:
                raise Undeliverable(recorded.note or "it failed")
            case ProposalState.UNCERTAIN:
                raise OutcomeUnknown(recorded.note or "its outcome is unknown")
        return {"replayed": True}


@dataclass(frozen=True, kw_only=True)
class DryAgent:
    """See agent.turn.Agent.  The agent of today at the recorded task, on the tape's tools."""

    agent: Agent
    recording: Recording
    tape: Tape

    @property
    def spec(self) -> Spec:
        return self.agent.spec

    @property
    def limits(self) -> Limits:
        return self.agent.limits

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        return {name: self.tape.tool(tool) for name, tool in self.agent.tools.items()}

    def task(self, _: Lead) -> JsonObject:
        return self.agent.task(self.recording.lead)


@dataclass(frozen=True, kw_only=True)
class DryConcluding(DryAgent):
    """See agent.results.Concluding.  What the recorded lead comes to, by today's rules."""

    concluding: Concluding

    def refuse(self, _: Lead) -> Conclusion | None:
        return self.concluding.refuse(self.recording.lead)

    def failed(self, _: Lead, failure: Failure) -> Conclusion:
        return self.concluding.failed(self.recording.lead, failure)

    def conclude(
        self, run: Run, _: Lead, messages: Sequence[JsonObject], proposal: Proposal | None
    ) -> Conclusion | Request:
        return self.concluding.conclude(run, self.recording.lead, messages, proposal)

    def broke_off(self, run: Run, _: Lead, status: RunStatus, proposal: Proposal | None) -> Conclusion:
        return self.concluding.broke_off(run, self.recording.lead, status, proposal)


def _dry(agent: Agent, recording: Recording, tape: Tape) -> DryAgent:
    if isinstance(agent, Concluding):
        return DryConcluding(agent=agent, recording=recording, tape=tape, concluding=agent)
    return DryAgent(agent=agent, recording=recording, tape=tape)


@dataclass(kw_only=True)
class ListeningModel:
    """See agent.ports.Model.  Asks the model, then has the lead write what they wrote at that point."""

    model: Model
    later: Mapping[int, list[JsonObject]]
    write: Write
    replies: int = 0

    async def reply(self, spec: Spec, messages: list[JsonObject], *, max_tokens: int) -> Reply:
        reply = await self.model.reply(spec, messages, max_tokens=max_tokens)
        self.replies += 1
        for words in self.later.get(self.replies, []):
            await self.write(words)
        return reply


class Player:
    """Plays one recording on an empty store."""

    def __init__(
        self, *, store: Store, model: Model, agent: Agent, recording: Recording, write: Write
    ) -> None:
        self._store = store
        self._recording = recording
        self._tape = Tape(recording)
        self._ahead = 0
        self._policy = Policy(policies=Policies.at_once())
        self._engine = Engine(
            store=store,
            model=ListeningModel(model=model, later=recording.later, write=write),
            agents={recording.agent: _dry(agent, recording, self._tape)},
            clock=lambda: now() + self._ahead,
            policy=self._policy,
        )

    async def play(self, lead: Lead) -> Run:
        """The run as far as the recorded decisions take it; `lead` is a row of the store."""
        recording = self._recording
        run = await self._store.transaction(
            lambda tx: self._engine.start(tx, lead, recording.agent, name=recording.name)
        )
        going = True
        while going:
            await self._engine.advance(run.id)
            going = await self._store.transaction(lambda tx: self._decide(tx, run.id))
        return await self._store.transaction(lambda tx: tx.runs.get(run.id))

    def _decide(self, tx: Transaction, run_id: int) -> bool:
        """Decide what waits as it was decided; whether the run can go on."""
        waiting = [item for item in tx.proposals.of_run(run_id) if item.state is ProposalState.PENDING]
        recorded = self._tape.decision(waiting[0].tool) if waiting else None
        if recorded is None:
            return False
        if recorded.state is ProposalState.EXPIRED:
            self._ahead += self._policy.approval_ttl
            return self._engine.approvals.expire(tx) > 0
        verdict = Verdict.DENY if recorded.state is ProposalState.DENIED else Verdict.APPROVE
        if verdict is Verdict.APPROVE:
            self._tape.release(recorded)
        person = recorded.decided_by if recorded.rule_id is None else None  # no rule holds here
        self._engine.approvals.decide(tx, waiting[0], verdict, person or NOBODY)
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One place where two runs part; None stands for nothing there."""

    at: str
    before: Any
    after: Any


def differences(before: Recording, after: Recording) -> list[Difference]:
    """Where status, words, calls, their arguments or decisions differ."""
    old, new = (dict(_leaves(_told(recording), "")) for recording in (before, after))
    return [
        Difference(at=at, before=old.get(at), after=new.get(at))
        for at in dict.fromkeys([*old, *new])
        if old.get(at) != new.get(at)
    ]


def _told(recording: Recording) -> JsonObject:
    return {
        "status": recording.status.value,
        "text": recording.text,
        "reason": recording.reason,
        "outcome": recording.outcome,
        "calls": [{"tool": call.tool, "arguments": call.arguments} for call in recording.calls],
        "decisions": [
            f"{item.tool} {item.state}"
            for item in recording.proposals
            if item.state
            is not ProposalState.SUPERSEDED  # which depends on the moment, not on anybody's word
        ],
    }


def _leaves(value: Any, at: str) -> Iterator[tuple[str, Any]]:
    match value:
        case dict():
            for key, item in value.items():
                yield from _leaves(item, f"{at}.{key}" if at else str(key))
        case list():
            for index, item in enumerate(value):
                yield from _leaves(item, f"{at}[{index}]")
        case _:
            yield at, value
