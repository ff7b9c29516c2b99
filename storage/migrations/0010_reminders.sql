-- Since when a proposal waits for people, when they are told of it again, and how often it was escalated.
ALTER TABLE proposals ADD COLUMN pending_since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE proposals ADD COLUMN remind_at INTEGER;
ALTER TABLE proposals ADD COLUMN escalated INTEGER NOT NULL DEFAULT 0;
UPDATE proposals SET pending_since = created_at;
UPDATE proposals SET remind_at = created_at + 1800000 WHERE state = 'pending';
CREATE INDEX proposals_reminding ON proposals (remind_at) WHERE state = 'pending' AND remind_at IS NOT NULL;

-- The message at the top of the group that says what waits.
CREATE TABLE pinned_line (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    chat_id INTEGER NOT NULL,
    message_id INTEGER NOT NULL,
    text TEXT NOT NULL,
    pinned INTEGER NOT NULL
) STRICT;

-- Buttons under a note, as JSON: pairs of a label and what a press says.
ALTER TABLE notes ADD COLUMN buttons TEXT;
