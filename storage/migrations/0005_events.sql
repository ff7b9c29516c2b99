-- Who is told of what happens.  types: the wanted ones, separated by spaces; none means all.
CREATE TABLE subscriptions (
    id INTEGER PRIMARY KEY,
    url TEXT NOT NULL,
    secret TEXT NOT NULL,
    types TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'disabled', 'removed')),
    reason TEXT,
    created_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX subscriptions_url ON subscriptions (url) WHERE state <> 'removed';

-- What happened, as it was then; written in the transaction in which it happened, and only if somebody wants it.
CREATE TABLE events (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    lead_id INTEGER NOT NULL REFERENCES leads,
    body TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX events_lead ON events (lead_id);

-- Each event on its way to each who wants it.  Of one lead and subscription only the first open one is ready.
CREATE TABLE deliveries (
    id INTEGER PRIMARY KEY,
    event_id INTEGER NOT NULL REFERENCES events,
    subscription_id INTEGER NOT NULL REFERENCES subscriptions,
    lead_id INTEGER NOT NULL REFERENCES leads,
    state TEXT NOT NULL CHECK (state IN ('behind', 'ready', 'delivered', 'failed', 'dropped')),
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL DEFAULT 0,
    status INTEGER,
    error TEXT,
    tried_at INTEGER
) STRICT;
CREATE INDEX deliveries_event ON deliveries (event_id);
CREATE INDEX deliveries_ready ON deliveries (subscription_id, not_before) WHERE state = 'ready';
CREATE INDEX deliveries_open ON deliveries (subscription_id, lead_id, id) WHERE state IN ('behind', 'ready');
