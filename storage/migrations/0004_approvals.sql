-- Versions of a proposal, what people say of it in words, several on one card.
ALTER TABLE proposals ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE proposals ADD COLUMN edited_by INTEGER;
ALTER TABLE proposals ADD COLUMN edited_name TEXT;
ALTER TABLE proposals ADD COLUMN remark TEXT;
ALTER TABLE proposals ADD COLUMN reason TEXT;
ALTER TABLE proposals ADD COLUMN batch INTEGER REFERENCES proposals;
CREATE INDEX proposals_batch ON proposals (batch) WHERE batch IS NOT NULL;

-- Texts that were proposed before the present one, as they were.
CREATE TABLE proposal_versions (
    proposal_id INTEGER NOT NULL REFERENCES proposals,
    version INTEGER NOT NULL,
    arguments TEXT NOT NULL,
    arguments_hash TEXT NOT NULL,
    edited_by INTEGER,
    edited_name TEXT,
    replaced_at INTEGER NOT NULL,
    PRIMARY KEY (proposal_id, version)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER proposal_versions_are_append_only_1 BEFORE UPDATE ON proposal_versions
BEGIN SELECT raise(ABORT, 'versions of proposals are append-only'); END;
CREATE TRIGGER proposal_versions_are_append_only_2 BEFORE DELETE ON proposal_versions
BEGIN SELECT raise(ABORT, 'versions of proposals are append-only'); END;

-- A question to a person that is answered by replying to it: what it is about, and for which version.
ALTER TABLE notes ADD COLUMN asks_about INTEGER REFERENCES proposals;
ALTER TABLE notes ADD COLUMN asks_token TEXT;
CREATE INDEX notes_asking ON notes (chat_id, message_id) WHERE asks_about IS NOT NULL;

-- What of a draft is in no source, as JSON; null where nothing was looked at.
ALTER TABLE proposals ADD COLUMN marks TEXT;

-- People who have approved where more people have to, as JSON; another version or an undoing begins anew.
ALTER TABLE proposals ADD COLUMN votes TEXT;
ALTER TABLE proposals ADD COLUMN quorum INTEGER NOT NULL DEFAULT 1;

-- Who was warned of marks, and has to press again; for one version.
CREATE TABLE warnings (
    token TEXT NOT NULL,
    person_id INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (token, person_id)
) STRICT, WITHOUT ROWID;

-- The decisions become a chain: each row's hash covers the row and the hash before it.  Rows from before have
-- none; the first hash covers them all.
ALTER TABLE decisions ADD COLUMN version INTEGER;
ALTER TABLE decisions ADD COLUMN note TEXT;
ALTER TABLE decisions ADD COLUMN hash TEXT;
CREATE INDEX decisions_at ON decisions (at);
