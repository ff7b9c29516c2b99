-- Leads that wait for their run: until when, 0 once somebody said to begin.  likeness: of the letters of the words.
ALTER TABLE leads ADD COLUMN waits_until INTEGER;
ALTER TABLE leads ADD COLUMN likeness TEXT;
CREATE INDEX leads_waiting ON leads (waits_until, id) WHERE waits_until IS NOT NULL;
CREATE INDEX leads_likeness ON leads (likeness) WHERE likeness IS NOT NULL;
-- Whether the same words are spam is asked of every lead, and most are not, however often they come.
CREATE INDEX leads_spam ON leads (likeness) WHERE spam;

-- More came at once than a source or an address may send.
ALTER TABLE posts ADD COLUMN flooding INTEGER NOT NULL DEFAULT 0;

-- For the calls of a day.
CREATE INDEX runs_created ON runs (created_at);

-- What people are asked about the leads that wait: one question is open at a time.
CREATE TABLE digests (
    id INTEGER PRIMARY KEY,
    token TEXT NOT NULL UNIQUE,
    reason TEXT NOT NULL,
    shown INTEGER NOT NULL,
    verdict TEXT,
    leads INTEGER,
    person_id INTEGER,
    person_name TEXT,
    decided_at INTEGER,
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX digests_open ON digests (verdict IS NULL) WHERE verdict IS NULL;
