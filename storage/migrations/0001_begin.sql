-- Times are milliseconds since the epoch, UTC.  JSON is text.  Enumerations are the words of agent/.

CREATE TABLE contacts (
    id INTEGER PRIMARY KEY,
    telegram_id INTEGER UNIQUE,
    name TEXT NOT NULL,
    username TEXT,
    phone TEXT,
    language TEXT,
    blocked INTEGER NOT NULL DEFAULT 0,
    acknowledged_at INTEGER,
    burst_since INTEGER,
    burst_due INTEGER,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX contacts_burst ON contacts (burst_due) WHERE burst_due IS NOT NULL;

CREATE TABLE leads (
    id INTEGER PRIMARY KEY,
    contact_id INTEGER NOT NULL REFERENCES contacts,
    source TEXT NOT NULL,
    name TEXT NOT NULL,
    phone TEXT,
    message TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX leads_contact ON leads (contact_id);

-- What people wrote.  lead_id is null until a lead or a run has taken the message in.
CREATE TABLE messages (
    id INTEGER PRIMARY KEY,
    contact_id INTEGER NOT NULL REFERENCES contacts,
    lead_id INTEGER REFERENCES leads,
    chat_id INTEGER NOT NULL,
    message_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    at INTEGER NOT NULL,
    UNIQUE (chat_id, message_id)
) STRICT;
CREATE INDEX messages_unread ON messages (contact_id) WHERE lead_id IS NULL;
CREATE INDEX messages_contact ON messages (contact_id, id);

CREATE TABLE specs (
    hash TEXT PRIMARY KEY,
    agent TEXT NOT NULL,
    model TEXT NOT NULL,
    system TEXT NOT NULL,
    tools TEXT NOT NULL,
    max_tokens INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    agent TEXT NOT NULL,
    lead_id INTEGER NOT NULL REFERENCES leads,
    contact_id INTEGER NOT NULL REFERENCES contacts,
    spec_hash TEXT NOT NULL REFERENCES specs,
    status TEXT NOT NULL,
    epoch INTEGER NOT NULL DEFAULT 0,
    seq INTEGER NOT NULL DEFAULT 0,
    steps INTEGER NOT NULL DEFAULT 0,
    tokens_input INTEGER NOT NULL DEFAULT 0,
    tokens_output INTEGER NOT NULL DEFAULT 0,
    tokens_cache_write INTEGER NOT NULL DEFAULT 0,
    tokens_cache_read INTEGER NOT NULL DEFAULT 0,
    max_steps INTEGER NOT NULL,
    max_tokens INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    failing_since INTEGER,
    retry_at INTEGER,
    text TEXT NOT NULL DEFAULT '',
    reason TEXT,
    created_at INTEGER NOT NULL,
    finished_at INTEGER
) STRICT;
CREATE INDEX runs_queued ON runs (coalesce(retry_at, 0), id) WHERE status = 'queued';
CREATE INDEX runs_open ON runs (contact_id) WHERE finished_at IS NULL;
CREATE INDEX runs_lead ON runs (lead_id);

CREATE TABLE transcript (
    run_id INTEGER NOT NULL REFERENCES runs,
    seq INTEGER NOT NULL,
    fragment TEXT NOT NULL,
    PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
    run_id INTEGER NOT NULL REFERENCES runs,
    seq INTEGER NOT NULL,
    at INTEGER NOT NULL,
    step INTEGER NOT NULL,
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    outcome TEXT NOT NULL,
    ms INTEGER NOT NULL,
    tokens INTEGER,
    input TEXT,
    proposal_id TEXT,
    note TEXT,
    PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER journal_is_append_only_1 BEFORE UPDATE ON journal
BEGIN SELECT raise(ABORT, 'the journal is append-only'); END;
CREATE TRIGGER journal_is_append_only_2 BEFORE DELETE ON journal
BEGIN SELECT raise(ABORT, 'the journal is append-only'); END;

CREATE TABLE proposals (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES runs,
    call_id TEXT NOT NULL,
    tool TEXT NOT NULL,
    arguments TEXT NOT NULL,
    arguments_hash TEXT NOT NULL,
    token TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    available INTEGER NOT NULL,
    irreversible INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    execute_after INTEGER NOT NULL DEFAULT 0,
    decided_by INTEGER,
    decided_name TEXT,
    decided_at INTEGER,
    began_at INTEGER,
    executed_at INTEGER,
    receipt TEXT,
    note TEXT,
    UNIQUE (run_id, call_id)
) STRICT;
CREATE INDEX proposals_pending ON proposals (expires_at) WHERE state = 'pending';
CREATE INDEX proposals_open ON proposals (id) WHERE state IN ('pending', 'uncertain');
CREATE INDEX proposals_later ON proposals (execute_after) WHERE state = 'approved' AND execute_after > 0;

-- Tokens that a card carried in an earlier state: a copy of it that nobody knew of may still show them.
CREATE TABLE outdated_tokens (
    token TEXT PRIMARY KEY,
    proposal_id INTEGER NOT NULL REFERENCES proposals
) STRICT, WITHOUT ROWID;

-- Every verdict that counted, with the hash of what it was about.
CREATE TABLE decisions (
    id INTEGER PRIMARY KEY,
    proposal_id INTEGER NOT NULL REFERENCES proposals,
    verdict TEXT NOT NULL,
    person_id INTEGER NOT NULL,
    person_name TEXT NOT NULL,
    arguments_hash TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX decisions_proposal ON decisions (proposal_id);
CREATE TRIGGER decisions_are_append_only_1 BEFORE UPDATE ON decisions
BEGIN SELECT raise(ABORT, 'decisions are append-only'); END;
CREATE TRIGGER decisions_are_append_only_2 BEFORE DELETE ON decisions
BEGIN SELECT raise(ABORT, 'decisions are append-only'); END;

CREATE TABLE deals (
    id INTEGER PRIMARY KEY,
    contact_id INTEGER NOT NULL REFERENCES contacts,
    lead_id INTEGER NOT NULL REFERENCES leads,
    run_id INTEGER NOT NULL REFERENCES runs,
    service TEXT NOT NULL,
    summary TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX deals_contact ON deals (contact_id);
CREATE INDEX deals_run ON deals (run_id);

CREATE TABLE escalations (
    id INTEGER PRIMARY KEY,
    lead_id INTEGER NOT NULL REFERENCES leads,
    run_id INTEGER NOT NULL REFERENCES runs,
    reason TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX escalations_run ON escalations (run_id);

-- Updates as Telegram sent them; committed before they are acknowledged.
CREATE TABLE inbox (
    update_id INTEGER PRIMARY KEY,
    raw TEXT,
    state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'done', 'parked')),
    attempts INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    received_at INTEGER NOT NULL
) STRICT;
CREATE INDEX inbox_new ON inbox (update_id) WHERE state = 'new';
CREATE INDEX inbox_parked ON inbox (update_id) WHERE state = 'parked';

-- A card shows what the rows of its subject say.  It is dirty until the group shows `version`.
CREATE TABLE cards (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    subject INTEGER NOT NULL,
    lane INTEGER NOT NULL,
    version INTEGER NOT NULL DEFAULT 1,
    dirty INTEGER NOT NULL DEFAULT 1,
    not_before INTEGER NOT NULL DEFAULT 0,
    attempts INTEGER NOT NULL DEFAULT 0,
    maybe_posted INTEGER NOT NULL DEFAULT 0,
    document_id INTEGER,
    error TEXT,
    UNIQUE (kind, subject)
) STRICT;
CREATE INDEX cards_dirty ON cards (lane, id) WHERE dirty = 1;

-- The messages that show a card.  More than one where an answer was lost or the card was posted anew.
CREATE TABLE card_messages (
    chat_id INTEGER NOT NULL,
    message_id INTEGER NOT NULL,
    card_id INTEGER NOT NULL REFERENCES cards,
    shown INTEGER NOT NULL,
    retired INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (chat_id, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX card_messages_card ON card_messages (card_id);

-- Plain outgoing messages: answers to commands, notices, the company's fixed words to a lead.
CREATE TABLE notes (
    id INTEGER PRIMARY KEY,
    lane INTEGER NOT NULL,
    chat_id INTEGER NOT NULL,
    reply_to INTEGER,
    answers INTEGER,
    text TEXT NOT NULL,
    share_phone TEXT,
    silent INTEGER NOT NULL,
    once INTEGER NOT NULL,
    state TEXT NOT NULL DEFAULT 'new' CHECK (state IN ('new', 'sending', 'sent', 'failed', 'lost')),
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL DEFAULT 0,
    message_id INTEGER,
    error TEXT,
    created_at INTEGER NOT NULL,
    UNIQUE (chat_id, answers)
) STRICT;
CREATE INDEX notes_new ON notes (lane, id) WHERE state = 'new';
CREATE INDEX notes_sending ON notes (id) WHERE state = 'sending';

-- A group that became a supergroup has another id ever since.
CREATE TABLE migrated_chats (
    old_id INTEGER PRIMARY KEY,
    new_id INTEGER NOT NULL
) STRICT;

-- When Telegram was last reached.
CREATE TABLE polls (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    at INTEGER NOT NULL
) STRICT;
