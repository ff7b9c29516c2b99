-- Who may post leads: a website form each, with a token in its URL.
CREATE TABLE sources (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    preset TEXT NOT NULL,
    token TEXT NOT NULL,
    secret TEXT,
    created_at INTEGER NOT NULL,
    removed_at INTEGER
) STRICT;
CREATE UNIQUE INDEX sources_name ON sources (name) WHERE removed_at IS NULL;

-- Requests as they came; committed before they are acknowledged.
CREATE TABLE posts (
    id INTEGER PRIMARY KEY,
    source_id INTEGER NOT NULL REFERENCES sources,
    content_type TEXT,
    delivery_id TEXT,
    body BLOB NOT NULL,
    body_hash TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'done', 'parked')),
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    lead_id INTEGER REFERENCES leads,
    received_at INTEGER NOT NULL
) STRICT;
CREATE INDEX posts_new ON posts (attempts, id) WHERE state = 'new';
CREATE INDEX posts_body ON posts (source_id, body_hash, received_at);
CREATE INDEX posts_delivery ON posts (source_id, delivery_id) WHERE delivery_id IS NOT NULL;

-- phones, emails: JSON.  form: all that was answered, and what the site added, as JSON.
ALTER TABLE leads ADD COLUMN phones TEXT NOT NULL DEFAULT '[]';
ALTER TABLE leads ADD COLUMN emails TEXT NOT NULL DEFAULT '[]';
ALTER TABLE leads ADD COLUMN raw_only INTEGER NOT NULL DEFAULT 0;
ALTER TABLE leads ADD COLUMN spam INTEGER NOT NULL DEFAULT 0;
ALTER TABLE leads ADD COLUMN source_id INTEGER REFERENCES sources;
ALTER TABLE leads ADD COLUMN provider_id TEXT;
ALTER TABLE leads ADD COLUMN content_hash TEXT;
ALTER TABLE leads ADD COLUMN form TEXT;
CREATE UNIQUE INDEX leads_provider ON leads (source_id, provider_id) WHERE provider_id IS NOT NULL;
CREATE INDEX leads_content ON leads (source_id, content_hash, created_at) WHERE content_hash IS NOT NULL;
UPDATE leads
SET phones = json_array(json_object('raw', phone, 'e164', phone, 'extension', NULL, 'confidence', 'sure'))
WHERE source = 'telegram' AND phone IS NOT NULL;
