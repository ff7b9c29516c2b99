"""The manual stop: while it is on no model is asked and nothing leaves; people see what waits."""

from dataclasses import dataclass

from agent.journal import Record
from agent.ports import Transaction
from agent.proposals import ProposalState
from agent.runs import Person, Run, RunStatus, Switch

PAUSED = "paused"
RESUMED = "resumed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turned:
    """What came of turning the switch: its last turn, whether this was it, how many runs it concerns."""

    switch: Switch | None
    changed: bool
    open_runs: int


def turn(tx: Transaction, *, paused: bool, person: Person, at: int) -> Turned:
    """Stop the agent, or let it go on; who and when is kept, and written in the journal of every open run.

    What was on its way before the commit ends by itself.  Turning it to where it stands changes nothing.
    """
    runs = tx.runs.open()
    if (tx.paused is not None) is paused:
        return Turned(switch=tx.pauses.last(), changed=False, open_runs=len(runs))
    switch = Switch(paused=paused, by=person, at=at)
    tx.pauses.turn(switch)
    for run in runs:
        tx.record(run.id, _record(run, switch))
        if paused and run.status is RunStatus.QUEUED:
            show_waiting(tx, run)
    return Turned(switch=switch, changed=True, open_runs=len(runs))


def show_waiting(tx: Transaction, run: Run) -> None:
    """Put a run that the pause holds before the people, unless the card of what they approved shows it."""
    if not any(proposal.state is ProposalState.APPROVED for proposal in tx.proposals.of_run(run.id)):
        tx.alert(run.id)


def _record(run: Run, switch: Switch) -> Record:
    return Record.of_run(run, PAUSED if switch.paused else RESUMED, switch.at, note=str(switch.by))
