-- What contacts are known by, beside contacts.telegram_id.  verified: Telegram vouches for it.
CREATE TABLE identifiers (
    kind TEXT NOT NULL CHECK (kind IN ('phone', 'email')),
    value TEXT NOT NULL,
    contact_id INTEGER NOT NULL REFERENCES contacts,
    verified INTEGER NOT NULL,
    source TEXT NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (kind, value, contact_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX identifiers_contact ON identifiers (contact_id);
CREATE UNIQUE INDEX identifiers_verified ON identifiers (kind, value) WHERE verified;

-- Before, a number that went from one account to another stayed with both; it is the latter's.
INSERT INTO identifiers (kind, value, contact_id, verified, source, since)
SELECT 'phone', phone, max(id), 1, 'telegram', created_at
FROM contacts WHERE phone IS NOT NULL AND telegram_id IS NOT NULL GROUP BY phone;

-- merged_into: the contact that stands for this one, never one that is merged itself.
-- reach: of one who came by a form, the hash of exactly what the form gave.
ALTER TABLE contacts ADD COLUMN merged_into INTEGER REFERENCES contacts;
ALTER TABLE contacts ADD COLUMN reach TEXT;
CREATE INDEX contacts_merged ON contacts (merged_into) WHERE merged_into IS NOT NULL;
CREATE UNIQUE INDEX contacts_reach ON contacts (reach) WHERE reach IS NOT NULL;

-- Contacts that are, may be or were one person: the winner stands for the loser.
CREATE TABLE merges (
    id INTEGER PRIMARY KEY,
    winner INTEGER NOT NULL REFERENCES contacts,
    loser INTEGER NOT NULL REFERENCES contacts,
    state TEXT NOT NULL CHECK (state IN ('suggested', 'merged', 'refused', 'settled', 'undone')),
    reason TEXT NOT NULL CHECK (reason IN ('claimed', 'vouched', 'person')),
    kind TEXT,
    value TEXT,
    at INTEGER NOT NULL,
    decided_by INTEGER,
    decided_name TEXT,
    undone_by INTEGER,
    undone_name TEXT,
    undone_at INTEGER
) STRICT;
CREATE INDEX merges_winner ON merges (winner);
CREATE INDEX merges_loser ON merges (loser);
CREATE UNIQUE INDEX merges_merged ON merges (loser) WHERE state = 'merged';
CREATE INDEX merges_suggested ON merges (id) WHERE state = 'suggested';
CREATE TRIGGER merges_are_kept BEFORE DELETE ON merges
BEGIN SELECT raise(ABORT, 'merges are kept'); END;

-- How far a deal is and who looks after it; what people did to it, each with who and when.
ALTER TABLE deals ADD COLUMN stage TEXT NOT NULL DEFAULT 'new';
ALTER TABLE deals ADD COLUMN owner_id INTEGER;
ALTER TABLE deals ADD COLUMN owner_name TEXT;
CREATE INDEX deals_stage ON deals (stage, id);
CREATE TABLE deal_changes (
    id INTEGER PRIMARY KEY,
    deal_id INTEGER NOT NULL REFERENCES deals,
    kind TEXT NOT NULL CHECK (kind IN ('stage', 'owner', 'note')),
    before TEXT,
    after TEXT NOT NULL,
    person_id INTEGER NOT NULL,
    person_name TEXT NOT NULL,
    at INTEGER NOT NULL,
    chat_id INTEGER,
    message_id INTEGER
) STRICT;
CREATE INDEX deal_changes_deal ON deal_changes (deal_id, id);
CREATE UNIQUE INDEX deal_changes_message ON deal_changes (chat_id, message_id) WHERE message_id IS NOT NULL;
CREATE TRIGGER deal_changes_are_append_only_1 BEFORE UPDATE ON deal_changes
BEGIN SELECT raise(ABORT, 'what was done to deals is append-only'); END;
CREATE TRIGGER deal_changes_are_append_only_2 BEFORE DELETE ON deal_changes
BEGIN SELECT raise(ABORT, 'what was done to deals is append-only'); END;

-- The other CRM that changes are brought to; without a row nothing is written for it.
CREATE TABLE crm_link (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    provider TEXT NOT NULL,
    origin TEXT NOT NULL,
    trouble TEXT
) STRICT;

-- What the other CRM has to show, due (dirty) until it shows `version`; in order of ids for each contact.
CREATE TABLE crm_outbox (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('contact', 'deal', 'note')),
    subject INTEGER NOT NULL,
    contact_id INTEGER NOT NULL REFERENCES contacts,
    version INTEGER NOT NULL DEFAULT 1,
    dirty INTEGER NOT NULL DEFAULT 1,
    not_before INTEGER NOT NULL DEFAULT 0,
    external_id TEXT,
    sent TEXT,
    error TEXT,
    UNIQUE (kind, subject)
) STRICT;
CREATE INDEX crm_outbox_due ON crm_outbox (not_before, id) WHERE dirty = 1;
CREATE INDEX crm_outbox_contact ON crm_outbox (contact_id, id) WHERE dirty = 1;
CREATE INDEX crm_outbox_deals ON crm_outbox (contact_id) WHERE kind = 'deal';
CREATE INDEX crm_outbox_refused ON crm_outbox (id) WHERE error IS NOT NULL;
