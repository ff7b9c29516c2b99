"""People in rows: a user's id, and the name of that time."""

from typing import Any

from agent.runs import Person


def person_of(id: int | None, name: str | None) -> Person | None:
    """Nobody where the row has no id."""
    return None if id is None else Person(id=id, name=name or "")


def columns_of(person: Person | None, prefix: str = "person") -> dict[str, Any]:
    """The parameters `person_id` and `person_name` of a query, or with another prefix; null for nobody."""
    return {
        f"{prefix}_id": None if person is None else person.id,
        f"{prefix}_name": None if person is None else person.name,
    }
