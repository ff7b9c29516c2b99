"""People in rows: a user's id, and the name of that time."""

from agent.runs import Person


def person_of(id: int | None, name: str | None) -> Person | None:
    """Nobody where the row has no id."""
    return None if id is None else Person(id=id, name=name or "")
