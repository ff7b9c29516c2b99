-- The way by which a proposed reply leaves, and who said what came of it where a person was to send it.
ALTER TABLE proposals ADD COLUMN channel TEXT;
ALTER TABLE proposals ADD COLUMN address TEXT;
ALTER TABLE proposals ADD COLUMN settled_by INTEGER;
ALTER TABLE proposals ADD COLUMN settled_name TEXT;
UPDATE proposals SET channel = 'telegram', address = '' WHERE tool = 'send_reply';

-- What waits for people: now also what was handed over to them.
DROP INDEX proposals_open;
CREATE INDEX proposals_open ON proposals (id) WHERE state IN ('pending', 'uncertain', 'handed_over');
