"""SQLite through aiosqlite: one writer, one hop per transaction, SQL in named queries."""
