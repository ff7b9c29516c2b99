-- The last entry of the log of decisions: entries that are cut off at its end are missed.
CREATE TABLE audit_head (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    entry INTEGER NOT NULL,
    hash TEXT NOT NULL
) STRICT;
INSERT INTO audit_head (id, entry, hash)
SELECT 1, id, hash FROM decisions WHERE id = (SELECT max(id) FROM decisions) AND hash IS NOT NULL;
