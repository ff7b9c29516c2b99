"""Rows of leads."""

from agent.runs import Lead
from storage.sql import Row


def lead_of(row: Row) -> Lead:
    return Lead(
        id=row["id"],
        contact_id=row["contact_id"],
        source=row["source"],
        name=row["name"],
        phone=row["phone"],
        message=row["message"],
        telegram_id=row["telegram_id"],
    )
