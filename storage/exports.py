"""Rows for export, page by page, oldest first: however many there are, few are in memory."""

from agent.exports import Export
from storage.sql import Sql

Row = dict[str, object]


class Exports:
    """Everything here reads only."""

    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    def page(self, export: Export, after: int, limit: int) -> tuple[list[Row], int]:
        """Rows by column, and the id to go on after; no rows: that was all."""
        rows = [dict(row) for row in self._sql.all(f"export_{export}", after=after, limit=limit)]
        return rows, max((row.pop("row_id") for row in rows), default=after)
