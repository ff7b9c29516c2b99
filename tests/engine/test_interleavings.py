"""The promises hold in any order of events; `make chaos` tries many more."""

from tests.engine.interleavings import check


def test_the_promises_hold_in_any_order() -> None:
    """Whatever leads, the model, three people, time and trouble do one after another, and whoever is slow."""
    check(examples=20, steps=30)
