"""Bringing a run to its result, where its agent has results."""

from agent.proposing import propose
from agent.results import Conclusion, Request
from agent.runs import RunStatus
from agent.turn import Turn


def refuse(turn: Turn) -> bool:
    """Before the model is asked for the first time: end a run whose input its agent refuses."""
    refusal = turn.concluding.refuse(turn.lead) if turn.concluding else None
    if refusal is not None:
        turn.conclude(refusal)
    return refusal is not None


def resume(turn: Turn) -> None:
    """Before the model is asked again: refuse the input, or end by what people decided meanwhile."""
    if not refuse(turn) and turn.concluding is not None and turn.proposals:
        conclude(turn)


def conclude(turn: Turn) -> None:
    """The model has answered: end the run, or pause it for the operation that is asked for."""
    if turn.concluding is None:
        return turn.go_on(RunStatus.DONE)
    proposal = turn.proposal()
    found = turn.concluding.conclude(turn.run, turn.lead, turn.messages, proposal)
    if isinstance(found, Request):
        assert proposal is None, "the request is proposed already"
        proposal = propose(
            turn, turn.run.run_id, found.operation, found.arguments, available=False, name=found.name
        )
        found = turn.concluding.conclude(turn.run, turn.lead, turn.messages, proposal)
    assert isinstance(found, Conclusion), "a proposal answers the request"
    return turn.conclude(found)
