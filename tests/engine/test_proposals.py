"""The drawing of a proposal's states, and what is read off them."""

from itertools import product

import pytest

from agent.jsontext import digest
from agent.proposals import (
    Confirmation,
    Correction,
    Execution,
    Proposal,
    ProposalState,
    Verdict,
    legal,
    new_token,
)

# The arrows of the drawing in agent/proposals.py.
DRAWING = {
    "pending": "pending revising approved denied expired superseded",
    "revising": "pending superseded",
    "approved": "pending executing handed_over failed",
    "executing": "executed failed uncertain approved",
    "uncertain": "executed approved failed",
    "handed_over": "executed failed",
}
ARROWS = {(before, after) for before, afters in DRAWING.items() for after in afters.split()}
ENDS = {"executed", "failed", "denied", "expired", "superseded"}


def proposal(state: ProposalState) -> Proposal:
    return Proposal(
        id=1,
        run_id=1,
        call_id="c",
        tool="send_reply",
        arguments={"text": "Hi"},
        arguments_hash=digest({"text": "Hi"}),
        token="t",
        state=state,
        created_at=0,
        expires_at=1,
    )


def test_the_table_is_the_drawing() -> None:
    """Of all pairs of states exactly the drawn arrows are legal."""
    pairs = product(ProposalState, repeat=2)
    assert {(a.value, b.value) for a, b in pairs if legal(a, b)} == ARROWS


def test_ends_are_ends() -> None:
    """Nothing leaves an end, and from everywhere else an end can be reached."""
    leaving = {before for before, _ in ARROWS}
    assert leaving.isdisjoint(ENDS)
    assert leaving | ENDS == {state.value for state in ProposalState}


def test_nothing_but_an_approval_leads_to_execution() -> None:
    """`executing` follows `approved` only, which follows a person's word or what surely was not sent."""
    assert {before for before, after in ARROWS if after == "executing"} == {"approved"}
    assert {before for before, after in ARROWS if after == "approved"} == {
        "pending",
        "uncertain",
        "executing",
    }


@pytest.mark.parametrize("state", ProposalState)
def test_every_state_says_what_was_decided_and_what_was_done(state: ProposalState) -> None:
    """Both readings are total, and an execution is told only of what was approved."""
    seen = proposal(state)
    assert seen.confirmation in Confirmation
    assert seen.execution in Execution
    done = {Execution.EXECUTING, Execution.EXECUTED, Execution.FAILED, Execution.UNCERTAIN}
    done.add(Execution.HANDED_OVER)
    if seen.execution in done:
        assert seen.confirmation is Confirmation.APPROVED
    assert (seen.execution is Execution.EXECUTED) is (state is ProposalState.EXECUTED)


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_is_an_arrow(verdict: Verdict) -> None:
    """What a person can say moves a proposal along the drawing."""
    assert legal(verdict.applies_to, verdict.leads_to)
    assert verdict.note is None or verdict in (Verdict.DROP, Verdict.NOT_REACHED)


@pytest.mark.parametrize("correction", Correction)
def test_words_of_a_person_never_lead_to_execution(correction: Correction) -> None:
    """A reply makes another version or gives a reason: it applies only where nothing was approved."""
    assert correction.applies_to in (ProposalState.PENDING, ProposalState.DENIED)


def test_altered_arguments_are_noticed() -> None:
    """One other character, and the stored arguments are no longer the approved ones."""
    whole = proposal(ProposalState.APPROVED)
    assert whole.unaltered
    whole.arguments["text"] = "Hi!"
    assert not whole.unaltered


def test_tokens_are_long_and_different() -> None:
    """At least 128 bits, short enough for a button (callback data holds 64 bytes)."""
    tokens = {new_token() for _ in range(1_000)}
    assert len(tokens) == 1_000
    assert all(22 <= len(token) < 40 for token in tokens)
