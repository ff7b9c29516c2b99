"""Starting a run of the record classifier."""

from agent.engine import Engine
from agent.records.agent import NAME, run_name
from agent.records.source import CASES
from agent.runs import Run
from bot.ports import BotTransaction

LONGEST = 100


def classify(tx: BotTransaction, engine: Engine, case: str | None, at: int) -> Run:
    """A run for one of the nine cases, or for any other record_id; None is no record_id at all.

    It belongs to a synthetic lead whose message is the record_id, empty where there is none.
    """
    named = None if case is None else _known(case.strip()[:LONGEST])
    record_id = CASES.get(named, named) if named else None
    lead = tx.contacts.synthetic_lead(NAME, name=named or "–", message=record_id or "", at=at)
    return engine.start(tx, lead, NAME, name=run_name(named))


def _known(case: str) -> str:
    """The case as it is written in the source, whatever case people type it in."""
    return next((known for known in CASES if known.casefold() == case.casefold()), case)
