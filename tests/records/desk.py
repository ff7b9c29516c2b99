"""A desk for record runs in tests: the real engine, store and client around a model that can be exchanged."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from agent.claude import Claude, ClaudeSettings
from agent.engine import Engine
from agent.journal import Record
from agent.jsontext import JsonObject
from agent.proposals import Decision, Proposal, Verdict
from agent.records import states
from agent.records.agent import NAME, RecordAgent
from agent.records.report import Counts, lines
from agent.records.result import RecordResult
from agent.records.source import RECORDS, DemoRecord, Source, SyntheticSource
from agent.records.states import RecordState
from agent.runs import Person, Run
from agent.turn import Policy
from bot.records import classify
from bot.sandbox.messages_api import MessagesApp, messages_app
from bot.sandbox.record_model import RecordModel
from bot.sandbox.script import Call, Script, Turn, call, say, turn
from bot.sandbox.server import serve
from storage.store import SqliteStore
from tests.company import Clock

OLGA = Person(id=1, name="Olga")
ANSWER: JsonObject = {
    "category": "synthetic_request",
    "requested_date": None,
    "summary": "Своё описание записи",
    "proposed_action": None,
    "requested_operation": None,
    "untrusted_instruction": False,
}


def reading(record_id: str) -> Call:
    """The model wants to read a record."""
    return call("read_demo_record", {"record_id": record_id})


def answering(**fields: Any) -> Turn:
    """The model answers with one JSON object."""
    return turn(say(json.dumps(ANSWER | fields, ensure_ascii=False)))


def asking(text: str, requested_date: str | None = None) -> DemoRecord:
    """A record."""
    return DemoRecord(
        text=text, requested_date=date.fromisoformat(requested_date) if requested_date else None
    )


@dataclass(frozen=True, slots=True)
class CountingSource:
    """Keeps which record was really asked for, and at which try."""

    source: SyntheticSource
    asked: list[tuple[str, int]] = field(default_factory=list)

    def read(self, record_id: str, attempt: int) -> DemoRecord:
        self.asked.append((record_id, attempt))
        return self.source.read(record_id, attempt)


@dataclass(kw_only=True)
class Desk:
    """Everything that a record run passes through, except Telegram."""

    path: Path
    store: SqliteStore
    api: MessagesApp
    model: Claude
    url: str
    source: Source = field(default_factory=lambda: SyntheticSource(RECORDS))
    clock: Clock = field(default_factory=Clock)
    engine: Engine = field(init=False)

    def __post_init__(self) -> None:
        self.deploy()

    def deploy(self) -> None:
        """The present code and source over the same rows."""
        agent = RecordAgent(source=self.source, model="claude-opus-5-5")
        self.engine = Engine(
            store=self.store, model=self.model, agents={NAME: agent}, clock=self.clock, policy=Policy()
        )

    def holds(self, **records: Any) -> CountingSource:
        """Put records of one's own into the source: R_100=asking(...), or a tuple with one outcome a try."""
        given = {
            name.replace("_", "-"): value if isinstance(value, tuple) else (value,)
            for name, value in records.items()
        }
        self.source = source = CountingSource(SyntheticSource({**RECORDS, **given}))
        self.deploy()
        return source

    def script(self, *turns: Turn) -> None:
        """What the model says from now on, turn by turn."""
        self.api.model = Script(turns)

    async def restart(self) -> None:
        """Close the file and open it again, as a new process would."""
        await self.store.close()
        self.store = SqliteStore(self.path)
        await self.store.open()
        self.deploy()

    async def start(self, case: str | None) -> Run:
        return await self.store.transaction(lambda tx: classify(tx, self.engine, case, self.clock()))

    async def work(self, run: Run) -> Run:
        await self.engine.advance(run.id)
        return await self.run(run)

    async def classified(self, case: str | None, *turns: Turn) -> Run:
        """A run taken as far as it goes without a person; with `turns`, the model says these."""
        if turns:
            self.script(*turns)
        return await self.work(await self.start(case))

    async def press(self, run: Run, verdict: Verdict) -> Decision:
        proposal = await self.proposal(run)
        return await self.store.transaction(
            lambda tx: self.engine.approvals.decide(tx, tx.proposals.get(proposal.id), verdict, OLGA)
        )

    async def run(self, run: Run) -> Run:
        return await self.store.read(lambda tx: tx.runs.get(run.id))

    async def result(self, run: Run) -> RecordResult:
        """What the rows say the run came to; every stored result fits the schema."""
        return RecordResult.model_validate((await self.run(run)).result)

    async def proposal(self, run: Run) -> Proposal:
        (proposal,) = await self.store.read(lambda tx: tx.proposals.of_run(run.id))
        return proposal

    async def journal(self, run: Run) -> list[Record]:
        return await self.store.read(lambda tx: tx.views.journal(run.id))

    async def lines(self, run: Run) -> list[str]:
        return lines(await self.run(run), await self.journal(run))

    async def counts(self, run: Run) -> Counts:
        return Counts.of(await self.journal(run))

    async def states(self, run: Run) -> list[RecordState]:
        """The states that the run went through, along the drawing's arrows only."""
        path = states.path(await self.journal(run))
        assert states.legal(path), path
        return path


@asynccontextmanager
async def open_desk(path: Path) -> AsyncIterator[Desk]:
    """A desk with its database at `path` and a model that classifies well."""
    api = messages_app(RecordModel())
    async with serve(api) as url:
        model = Claude(ClaudeSettings(api_key="test-key", base_url=url))
        desk = Desk(path=path, store=SqliteStore(path), api=api, model=model, url=url)
        await desk.store.open()
        try:
            yield desk
        finally:
            await desk.store.close()
            await model.close()
    assert not api.violations, api.violations
