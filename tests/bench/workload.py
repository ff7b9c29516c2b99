"""One lead in three turns with an approval in the middle, worked by a bare loop and by the engine."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from agent.channels import ChannelKind, Letter, Route
from agent.claude import Claude, ClaudeSettings
from agent.clock import now
from agent.engine import Engine
from agent.jsontext import JsonObject
from agent.leads.agent import NAME, LeadAgent
from agent.ports import Model
from agent.proposals import Decision, Verdict
from agent.runs import Lead, Person, Run, RunStatus
from storage.store import SqliteStore
from storage.transaction import SqliteTransaction

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic
    from anthropic.types import ToolUseBlock

MODEL = "claude-opus-5-5"
OPERATOR = Person(id=7001, name="Olga")
NAME_OF_LEAD = "Dana"
WORDS = "We need a CRM for our clinic: bookings and reminders."
REPLY = "Thank you for your request! A manager will contact you today to discuss the CRM for your clinic."

Worked = Callable[[], Awaitable[None]]


def _call(id: str, name: str, **input: str) -> JsonObject:
    return {"type": "tool_use", "id": id, "name": name, "input": input, "caller": {"type": "direct"}}


def _message(number: int, stop_reason: str, *content: JsonObject) -> JsonObject:
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": list(content),
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {
            "input_tokens": 1800,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": 0,
            "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
            "output_tokens": 120,
            "service_tier": "standard",
        },
    }


# The specification's own lead, answered with the fields that the Messages API documents.
TURNS: tuple[JsonObject, ...] = (
    _message(1, "tool_use", _call("toolu_01", "get_customer_history")),
    _message(
        2,
        "tool_use",
        _call("toolu_02", "create_deal", service="crm", summary="CRM for a clinic: bookings and reminders."),
        _call("toolu_03", "send_reply", text=REPLY),
    ),
    _message(3, "end_turn", {"type": "text", "text": "Created deal D-1 (crm) and sent a reply to the lead."}),
)


@dataclass(slots=True)
class Outbox:
    """A channel that only notes when it was called."""

    called: list[float] = field(default_factory=list)

    def route(self, lead: Lead) -> Route:
        return Route(kind=ChannelKind.TELEGRAM)

    async def send(self, letter: Letter) -> JsonObject:
        self.called.append(perf_counter())
        return {"message_id": len(self.called)}


class Bare:
    """The least that works: the SDK as it comes, the transcript in memory, nothing kept."""

    def __init__(self, client: "AsyncAnthropic") -> None:
        self._client = client
        self._spec = LeadAgent(channel=Outbox(), model=MODEL).spec
        self._deals: list[JsonObject] = []

    async def work(self) -> None:
        """One lead, from its words to the model's last line."""
        task = f"Process this lead.\n<lead>\n{json.dumps({'name': NAME_OF_LEAD, 'message': WORDS})}\n</lead>"
        messages: list[Any] = [{"role": "user", "content": task}]
        system: Any = [{"type": "text", "text": self._spec.system, "cache_control": {"type": "ephemeral"}}]
        tools: Any = self._spec.tools
        while True:
            reply = await self._client.messages.create(
                model=MODEL, max_tokens=16_000, system=system, tools=tools, messages=messages
            )
            messages.append({"role": "assistant", "content": reply.content})
            if reply.stop_reason != "tool_use":
                return
            results = [self._result(block) for block in reply.content if block.type == "tool_use"]
            messages.append({"role": "user", "content": results})

    def _result(self, call: "ToolUseBlock") -> JsonObject:
        value: JsonObject = {"sent": True}
        match call.name:
            case "get_customer_history":
                value = {"deals": [], "conversation": []}
            case "create_deal":
                self._deals.append(call.input)
                value = {"deal_id": f"D-{len(self._deals)}"}
        return {"type": "tool_result", "tool_use_id": call.id, "content": json.dumps(value)}


@asynccontextmanager
async def bare(url: str) -> AsyncIterator[Bare]:
    """The bare loop against the model's server at `url`, on the SDK's default transport."""
    from anthropic import AsyncAnthropic

    async with AsyncAnthropic(api_key="none", base_url=url) as client:
        yield Bare(client)


class Engined:
    """The engine over a store, as the bot drives it but without Telegram."""

    def __init__(self, store: SqliteStore, model: Model, first: int) -> None:
        self.store = store
        self.outbox = Outbox()
        agent = LeadAgent(channel=self.outbox, model=MODEL)
        self.engine = Engine(store=store, model=model, agents={NAME: agent}, clock=now)
        self._leads = first

    async def work(self) -> None:
        """One lead: taken in, worked up to the approval, approved, worked to its end."""
        id = await self.take_in()
        paused = await self.engine.advance(id)
        assert paused is not None, "nobody else takes the run"
        assert paused.status is RunStatus.AWAITING_CONFIRMATION, paused
        await self.approve(id)
        run = await self.engine.advance(id)
        assert run is not None, "a decision queues the run"
        assert run.status is RunStatus.DONE, run

    async def take_in(self) -> int:
        """Contact, message, lead and queued run in one transaction, each lead from a person of its own."""
        self._leads += 1
        number, at = self._leads, now()

        def take_in(tx: SqliteTransaction) -> Run:
            contact = tx.contacts.upsert(
                telegram_id=5_000_000_000 + number, name=NAME_OF_LEAD, username=None, language="en", at=at
            )
            tx.contacts.add_message(
                contact, chat_id=5_000_000_000 + number, message_id=1, kind="text", text=WORDS, at=at
            )
            lead = tx.contacts.close_burst(contact, at)
            assert lead is not None, "a new contact's words make a lead"
            return self.engine.start(tx, lead, NAME)

        return (await self.store.transaction(take_in)).id

    async def pause(self) -> int:
        """Take a lead in and work it up to the approval."""
        id = await self.take_in()
        await self.engine.advance(id)
        return id

    async def approve(self, id: int) -> None:
        """What a press does."""

        def decide(tx: SqliteTransaction) -> Decision:
            (proposal,) = tx.proposals.of_run(id)
            return self.engine.approvals.decide(tx, proposal, Verdict.APPROVE, OPERATOR)

        decision = await self.store.transaction(decide)
        assert decision.refusal is None, decision.refusal


@asynccontextmanager
async def engined(folder: Path, model: Model, *, first: int = 0) -> AsyncIterator[Engined]:
    """The engine over the database in `folder`, where `first` leads were taken in before."""
    async with SqliteStore(folder / "lead-agent.db") as store:
        yield Engined(store, model, first)


@asynccontextmanager
async def claude(url: str) -> AsyncIterator[Claude]:
    """The product's own client of the model's server at `url`."""
    model = Claude(ClaudeSettings(api_key="none", base_url=url))
    await model.warm_up()
    try:
        yield model
    finally:
        await model.close()


async def spread(work: Worked, leads: int, concurrency: int) -> None:
    """Work `leads` leads in `concurrency` tasks."""
    numbers = iter(range(leads))

    async def worker() -> None:
        for _ in numbers:
            await work()

    async with asyncio.TaskGroup() as group:
        for _ in range(concurrency):
            group.create_task(worker())
