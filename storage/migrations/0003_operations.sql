-- The manual stop: every turn of it, by whom and when.  The last row says how it stands.
CREATE TABLE switches (
    id INTEGER PRIMARY KEY,
    paused INTEGER NOT NULL CHECK (paused IN (0, 1)),
    person_id INTEGER NOT NULL,
    person_name TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE TRIGGER switches_are_append_only_1 BEFORE UPDATE ON switches
BEGIN SELECT raise(ABORT, 'turns of the manual stop are append-only'); END;
CREATE TRIGGER switches_are_append_only_2 BEFORE DELETE ON switches
BEGIN SELECT raise(ABORT, 'turns of the manual stop are append-only'); END;

-- The program's own versions, and the one that made a run (null for runs from before this migration).
CREATE TABLE codes (
    hash TEXT PRIMARY KEY,
    name TEXT NOT NULL
) STRICT, WITHOUT ROWID;
ALTER TABLE runs ADD COLUMN code_hash TEXT REFERENCES codes;
ALTER TABLE specs ADD COLUMN result_schema TEXT NOT NULL DEFAULT '{"title":"text","type":"string"}';

-- What people expected of a run, beside what it was given and what it made of it at that moment.
CREATE TABLE feedback (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES runs,
    expected TEXT NOT NULL,
    input TEXT NOT NULL,
    result TEXT NOT NULL,
    versions TEXT NOT NULL,
    person_id INTEGER NOT NULL,
    person_name TEXT NOT NULL,
    at INTEGER NOT NULL,
    chat_id INTEGER NOT NULL,
    message_id INTEGER NOT NULL,
    UNIQUE (chat_id, message_id)
) STRICT;
CREATE INDEX feedback_run ON feedback (run_id);

-- The bot whose updates these are.
CREATE TABLE owner (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    bot_id INTEGER NOT NULL
) STRICT;
