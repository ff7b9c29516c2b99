"""docs/events.md says what the program does."""

import re
from pathlib import Path

from agent.events import DeliveryState, EventType
from agent.exports import COLUMNS

DOCUMENT = (Path(__file__).parents[2] / "docs" / "events.md").read_text(encoding="utf-8")


def test_every_event_is_documented_and_no_other() -> None:
    """The table's types are the program's."""
    assert re.findall(r"^\| `([a-z]+\.[a-z]+)` \|", DOCUMENT, re.MULTILINE) == [
        "lead.created",
        "lead.updated",
        "lead.escalated",
        "deal.created",
        "reply.approved",
        "reply.delivered",
        "run.finished",
    ]
    assert set(re.findall(r"`([a-z]+\.[a-z]+)`", DOCUMENT)) >= set(EventType)
    assert all(f"`{state}`" in DOCUMENT for state in DeliveryState)


def test_the_columns_of_every_table_are_documented() -> None:
    """In their order, which people's spreadsheets rely on."""
    for export, columns in COLUMNS.items():
        (row,) = re.findall(rf"^\| `{export}` \| (.*) \|$", DOCUMENT, re.MULTILINE)
        assert re.findall(r"`([a-z_]+)`", row) == list(columns)
