-- Runs with names and results of their own (demo-007a), the tries of a tool, contacts that are no person.

ALTER TABLE runs ADD COLUMN name TEXT;
ALTER TABLE runs ADD COLUMN result TEXT;
CREATE UNIQUE INDEX runs_name ON runs (name) WHERE name IS NOT NULL;
ALTER TABLE proposals ADD COLUMN name TEXT;
ALTER TABLE journal ADD COLUMN attempt INTEGER;
ALTER TABLE contacts ADD COLUMN synthetic INTEGER NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX contacts_synthetic ON contacts (name) WHERE synthetic;
