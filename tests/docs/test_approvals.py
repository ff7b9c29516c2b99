"""docs/approvals.md says of states, pictures and the policy file exactly what there is."""

import re
from pathlib import Path

import pytest

from agent.proposals import ProposalState, legal
from bot import policy_file

DOCS = Path(__file__).parent.parent.parent / "docs"
TEXT = (DOCS / "approvals.md").read_text(encoding="utf-8")
PICTURES = DOCS / "images" / "approvals"
ENDS = "[*]"
LARGEST = 60_000


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def arrows() -> list[tuple[str, str]]:
    """Both ends of every arrow of the drawing."""
    (drawing,) = blocks("mermaid")
    return re.findall(r"^ +(\S+) --> ([^\s:]+)", drawing, re.MULTILINE)


def test_the_drawing_is_the_table_of_the_code() -> None:
    """Every arrow is a transition that the code allows, every transition an arrow, each stands once."""
    states = list(ProposalState)
    table = {(before.value, after.value) for before in states for after in states if legal(before, after)}
    over = {state.value for state in states if not any(legal(state, after) for after in states)}
    drawn = arrows()
    assert len(drawn) == len(set(drawn))
    assert set(drawn) == table | {(state, ENDS) for state in over} | {(ENDS, ProposalState.PENDING.value)}


def test_every_picture_is_shown_and_there() -> None:
    """And each is small enough to be kept."""
    shown = re.findall(r"\]\(images/approvals/([\w-]+\.png)\)", TEXT)
    assert sorted(shown) == sorted(file.name for file in PICTURES.iterdir())
    assert all(file.stat().st_size < LARGEST for file in PICTURES.iterdir())


@pytest.mark.parametrize("part", blocks("toml"))
def test_the_policy_can_be_copied(tmp_path: Path, part: str) -> None:
    """Each piece is a policy file without a fault."""
    path = tmp_path / "policy.toml"
    path.write_text(part, encoding="utf-8")
    policies = policy_file.load(path, required=True)
    assert policy_file.faults(policies, frozenset({1, 2}), frozenset({1, 2})) == []
