"""Running the record suite: real engine, SQLite and Messages API client, decided as by a press."""

from agent.clock import now
from agent.engine import Engine
from agent.jsontext import JsonObject
from agent.ports import Model
from agent.proposals import Confirmation
from agent.records import states
from agent.records.agent import NAME, RecordAgent
from agent.records.report import Counts, lines
from agent.records.source import RECORDS, SyntheticSource
from agent.runs import RunStatus
from bot.evals.expected import Expected, record_suite
from bot.evals.harness import EVALUATOR, MODEL, advanced, empty_store
from bot.evals.outcome import Evaluation, Outcome
from bot.records import classify
from storage.store import SqliteStore
from storage.transaction import SqliteTransaction


async def evaluate(model: Model, *, name: str = MODEL, wording: bool = True) -> Evaluation:
    """Run the suite in a database of its own.

    name: of the model; wording: whether its sentences are compared, as only a scripted model's can be.
    ModelUnavailable if the model gives no answer.
    """
    suite = record_suite()
    async with empty_store() as store:
        agent = RecordAgent(source=SyntheticSource(RECORDS), model=name)
        engine = Engine(store=store, model=model, agents={NAME: agent}, clock=now)
        trial = Trial(store, engine)
        outcomes = [await trial.run(expected) for expected in suite.runs]
    return Evaluation(suite=suite, outcomes=tuple(outcomes), wording=wording)


class Trial:
    """Runs one case after another."""

    def __init__(self, store: SqliteStore, engine: Engine) -> None:
        self._store = store
        self._engine = engine

    async def run(self, expected: Expected) -> Outcome:
        """Start the case, decide where it asks for a decision, and read off the rows what came of it."""
        started = await self._store.transaction(
            lambda tx: classify(tx, self._engine, expected.case, now()), durable=False
        )
        run = await advanced(self._engine, started)
        before = None
        if run.status is RunStatus.AWAITING_CONFIRMATION:
            before = await self._store.read(lambda tx: _before(tx, run.id))
            if expected.verdict is not None:
                await self._store.transaction(lambda tx: self._decide(tx, run.id, expected))
                await advanced(self._engine, run)
        return await self._store.read(lambda tx: _outcome(tx, run.id, before))

    def _decide(self, tx: SqliteTransaction, id: int, expected: Expected) -> None:
        assert expected.verdict is not None
        for proposal in tx.proposals.of_run(id):
            self._engine.approvals.decide(tx, proposal, expected.verdict, EVALUATOR)


def _before(tx: SqliteTransaction, id: int) -> JsonObject:
    """The object of a run that waits, with the number of calls that changed anything."""
    result = tx.runs.get(id).result or {}
    return result | {"change_calls": Counts.of(tx.views.journal(id)).change_calls}


def _outcome(tx: SqliteTransaction, id: int, before: JsonObject | None) -> Outcome:
    view, records = tx.views.run(id), tx.views.journal(id)
    run, path = view.run, states.path(records)
    said = [proposal.confirmation for proposal in view.proposals]
    decided = (Confirmation.APPROVED, Confirmation.DENIED)
    return Outcome(
        record_id=view.lead.message or None,
        run_id=run.run_id,
        before_decision=before,
        result=run.result or {},
        decision=next((confirmation.value for confirmation in said if confirmation in decided), None),
        counts=Counts.of(records),
        model_limit=run.limits.max_steps if view.lead.message else 0,
        states=[state.value for state in path],
        legal=states.legal(path),
        journal=lines(run, records),
    )
