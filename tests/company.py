"""A whole small company for tests: the real engine, store and client around a scripted model."""

import sqlite3
from asyncio import Event
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from agent.channels import ChannelKind, Letter, Route
from agent.claude import Claude, ClaudeSettings
from agent.contacts import Contact
from agent.engine import Engine
from agent.journal import Kind, Record
from agent.jsontext import JsonObject
from agent.leads.agent import NAME, LeadAgent
from agent.leads.tools import lead_tools
from agent.outgoing import CardKind
from agent.ports import Model
from agent.proposals import Correction, Decision, Proposal, Verdict
from agent.runs import Lead, Person, Run
from agent.tools import Tool
from agent.turn import Agent, Policy, Work
from agent.views import RunView
from bot.sandbox.messages_api import MessagesApp, messages_app
from bot.sandbox.script import Call, Script, Turn, call, say, turn
from bot.sandbox.server import serve
from storage.store import SqliteStore
from storage.transaction import SqliteTransaction

DANA = 77
OLGA = Person(id=1, name="Olga")
IGOR = Person(id=2, name="Igor")

NEW_DEAL = {"service": "crm", "summary": "Clinic wants a CRM for patient bookings."}
HELLO = "Hello, Dana! A manager will call you today about the CRM."

SECOND = 1_000
HOUR = 3_600_000


class Clock:
    """Stands still until it is moved; milliseconds."""

    def __init__(self) -> None:
        self.at = 1_800_000_000_000

    def __call__(self) -> int:
        return self.at

    def forward(self, ms: int) -> None:
        self.at += ms


class RecordingChannel:
    """See agent.ports.Channels.  Keeps what left; first raises the `faults` it was given, one a message.

    Every reply is routed along `way`.  Clear `door` to hold a message back in the middle of being sent;
    `knocked` says that one is there.
    """

    def __init__(self) -> None:
        self.way = ChannelKind.TELEGRAM
        self.letters: list[Letter] = []
        self.sent: list[tuple[int | None, str]] = []
        self.faults: deque[Exception] = deque()
        self.door = Event()
        self.door.set()
        self.knocked = Event()

    @property
    def texts(self) -> list[str]:
        return [text for _, text in self.sent]

    def route(self, lead: Lead) -> Route:
        return Route(kind=self.way, address=str(lead.telegram_id))

    async def send(self, letter: Letter) -> JsonObject:
        self.knocked.set()
        await self.door.wait()
        if self.faults:
            raise self.faults.popleft()
        self.letters.append(letter)
        self.sent.append((letter.lead.telegram_id, letter.text))
        return {"message_id": len(self.sent)}


@dataclass(frozen=True, kw_only=True)
class WithTool(LeadAgent):
    """The lead agent with one more tool, or another one under a known name."""

    extra: Tool

    @cached_property
    def tools(self) -> Mapping[str, Tool]:
        return {**lead_tools(self.channel), self.extra.name: self.extra}


@dataclass(kw_only=True)
class Company:
    """Everything that a lead passes through, except Telegram."""

    path: Path
    store: SqliteStore
    api: MessagesApp
    model: Claude
    url: str
    channel: RecordingChannel = field(default_factory=RecordingChannel)
    clock: Clock = field(default_factory=Clock)
    policy: Policy = field(default_factory=Policy)
    engine: Engine = field(init=False)
    agent: LeadAgent = field(init=False)
    _started: dict[int, Work] = field(default_factory=dict)
    _messages: int = 0

    def __post_init__(self) -> None:
        self.deploy(LeadAgent(channel=self.channel, model="claude-opus-5-5"))

    def deploy(self, agent: LeadAgent) -> None:
        """From here on the code is this; what is stored stays."""
        self.agent = agent
        self.engine = self.engine_of(agent)

    def change(self, **fields: Any) -> None:
        """Deploy the same agent with other fields."""
        self.deploy(replace(self.agent, **fields))

    def connect(self, tool: Tool) -> None:
        """Deploy the agent with one more tool, or another one under a known name."""
        self.deploy(WithTool(channel=self.channel, model=self.agent.model, extra=tool))

    def engine_of(self, agent: Agent, model: Model | None = None) -> Engine:
        """Another engine over the same store."""
        engine = Engine(
            store=self.store,
            model=model or self.model,
            agents={NAME: agent},
            clock=self.clock,
            policy=self.policy,
        )
        engine._started = self._started
        return engine

    async def restart(self) -> None:
        """Close the file and open it again, as a new process would."""
        await self.store.close()
        self.store = SqliteStore(self.path)
        self._started = {}
        await self.store.open()
        self.deploy(self.agent)

    def script(self, *turns: Turn) -> None:
        """What the model says from now on, turn by turn of a conversation."""
        self.api.model = Script(turns)

    @property
    def requests(self) -> list[JsonObject]:
        """The bodies of all calls of the model."""
        return list(self.api.requests)

    # --- people

    def say(self, tx: SqliteTransaction, text: str, telegram_id: int, name: str) -> Contact:
        contact = tx.contacts.upsert(
            telegram_id=telegram_id, name=name, username=None, language="en", at=self.clock()
        )
        self._messages += 1
        tx.contacts.add_message(
            contact, chat_id=telegram_id, message_id=self._messages, kind="text", text=text, at=self.clock()
        )
        tx.contacts.open_burst(contact, self.clock(), quiet=0, longest=0)
        return contact

    async def write(self, text: str, telegram_id: int = DANA, name: str = "Dana") -> None:
        """A person writes to the company; what waits for people in an open run is outdated by it."""

        def take(tx: SqliteTransaction) -> None:
            contact = self.say(tx, text, telegram_id, name)
            if (run := tx.contacts.open_run(contact.id)) is not None:
                self.engine.approvals.supersede(tx, run)

        await self.store.transaction(take)

    async def begin(self) -> list[Run]:
        """Started runs for all bursts that are due; where a run is open it has the words."""

        def start(tx: SqliteTransaction) -> list[Run]:
            due = tx.contacts.due_bursts(self.clock())
            leads = [tx.contacts.close_burst(contact, self.clock()) for contact in due]
            for contact in due:
                if (run := tx.contacts.open_run(contact.id)) is not None:
                    tx.runs.queue(run.id)
            return [self.engine.start(tx, lead, NAME) for lead in leads if lead is not None]

        return await self.store.transaction(start)

    async def lead(
        self, text: str = "We need a CRM for our clinic.", telegram_id: int = DANA, name: str = "Dana"
    ) -> Run:
        """A person writes, and a run is queued for it."""
        await self.write(text, telegram_id, name)
        (run,) = await self.begin()
        return run

    async def press(self, proposal: Proposal, verdict: Verdict, person: Person = OLGA) -> Decision:
        return await self.store.transaction(
            lambda tx: self.engine.approvals.decide(tx, tx.proposals.get(proposal.id), verdict, person)
        )

    async def correct(
        self, proposal: Proposal, correction: Correction, words: str, person: Person = OLGA
    ) -> Decision:
        """Say something of a proposal in words."""
        approvals = self.engine.approvals
        say = {
            Correction.EDIT: approvals.edit,
            Correction.REWRITE: approvals.rewrite,
            Correction.REASON: approvals.give_reason,
        }[correction]
        return await self.store.transaction(lambda tx: say(tx, tx.proposals.get(proposal.id), words, person))

    # --- work

    async def work(self, run: Run) -> Run:
        """Let the engine take the run as far as it goes."""
        await self.engine.advance(run.id)
        return await self.run(run)

    async def waiting(self, *turns: Turn) -> tuple[Run, Proposal]:
        """A new lead's run at its first proposal; by default the model asks for one reply at once."""
        self.script(*(turns or (turn(reply()), turn(say("Done.")))))
        run = await self.work(await self.lead())
        return run, await self.proposal(run)

    async def settle(self, run: Run, verdict: Verdict, person: Person = OLGA) -> Run:
        """Press a button of the run's latest proposal, then let the engine go on."""
        await self.press(await self.proposal(run), verdict, person)
        return await self.work(run)

    async def due(self) -> list[int]:
        """The ids of the runs that can go on now."""
        return await self.store.transaction(lambda tx: tx.alarms.queued(self.clock()))

    # --- what is stored

    async def view(self, run: Run) -> RunView:
        return await self.store.read(lambda tx: tx.views.run(run.id))

    async def run(self, run: Run) -> Run:
        return await self.store.read(lambda tx: tx.runs.get(run.id))

    async def proposals(self, run: Run) -> list[Proposal]:
        return (await self.view(run)).proposals

    async def proposal(self, run: Run) -> Proposal:
        """The latest."""
        return (await self.proposals(run))[-1]

    async def journal(self, run: Run, *kinds: Kind) -> list[Record]:
        records = await self.store.read(lambda tx: tx.views.journal(run.id))
        return [record for record in records if not kinds or record.kind in kinds]

    async def steps(self, run: Run) -> list[str]:
        """The journal's model and tool records as the specification's tests write them."""
        return [
            f"{record.kind}:{record.name if record.kind is Kind.TOOL else ''}:{record.outcome}"
            for record in await self.journal(run, Kind.MODEL, Kind.TOOL)
        ]

    async def alerted(self, run: Run) -> bool:
        """Whether people are shown a card of the run."""
        return await self.store.read(lambda tx: tx.cards.of(CardKind.RUN, run.id)) is not None

    def tamper(self, sql: str, *parameters: Any) -> list[Any]:
        """Go behind the engine's back, with a connection of one's own."""
        with closing(sqlite3.connect(self.path, timeout=5)) as connection, connection:
            return connection.execute(sql, parameters).fetchall()


@asynccontextmanager
async def open_company(path: Path, *, seconds: float = 30.0) -> AsyncIterator[Company]:
    """A company with its database at `path`; `seconds` is the client's timeout."""
    api = messages_app(Script([]))
    async with serve(api) as url:
        model = Claude(ClaudeSettings(api_key="test-key", base_url=url, timeout=seconds))
        company = Company(path=path, store=SqliteStore(path), api=api, model=model, url=url)
        await company.store.open()
        try:
            yield company
        finally:
            await company.store.close()
            await model.close()


def reply(text: str = HELLO) -> Call:
    return call("send_reply", {"text": text})


def deal(**fields: Any) -> Call:
    return call("create_deal", NEW_DEAL | fields)


def results(body: JsonObject) -> list[JsonObject]:
    """The tool results in the last message of a request, without the words after them."""
    return [block for block in body["messages"][-1]["content"] if block["type"] == "tool_result"]
