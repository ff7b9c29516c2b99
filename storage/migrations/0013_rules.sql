-- Rules that let calls leave without a press.  What one says never changes; each of its states is a row below.
CREATE TABLE rules (
    id INTEGER PRIMARY KEY,
    tool TEXT NOT NULL,
    conditions TEXT NOT NULL,
    written INTEGER NOT NULL,
    support INTEGER NOT NULL,
    replayed TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
CREATE TRIGGER rules_are_append_only_1 BEFORE UPDATE ON rules
BEGIN SELECT raise(ABORT, 'rules are append-only'); END;
CREATE TRIGGER rules_are_append_only_2 BEFORE DELETE ON rules
BEGIN SELECT raise(ABORT, 'rules are append-only'); END;

-- person: who brought it to this state, null where its date or the policy file did.  owner: the admin who let it
-- begin.  broken_on, broken_by: the proposal that suspended it, and what was done with that.
CREATE TABLE rule_changes (
    rule_id INTEGER NOT NULL REFERENCES rules,
    change INTEGER NOT NULL,
    state TEXT NOT NULL,
    token TEXT NOT NULL UNIQUE,
    until INTEGER,
    owner_id INTEGER,
    owner_name TEXT,
    person_id INTEGER,
    person_name TEXT,
    broken_on INTEGER REFERENCES proposals,
    broken_by TEXT,
    at INTEGER NOT NULL,
    PRIMARY KEY (rule_id, change)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER rule_changes_are_append_only_1 BEFORE UPDATE ON rule_changes
BEGIN SELECT raise(ABORT, 'changes of rules are append-only'); END;
CREATE TRIGGER rule_changes_are_append_only_2 BEFORE DELETE ON rule_changes
BEGIN SELECT raise(ABORT, 'changes of rules are append-only'); END;

-- What people did with calls that a rule could have let pass, and what was known of the lead then, as JSON.
CREATE TABLE rule_evidence (
    id INTEGER PRIMARY KEY,
    proposal_id INTEGER NOT NULL REFERENCES proposals,
    tool TEXT NOT NULL,
    lead TEXT NOT NULL,
    outcome TEXT NOT NULL,
    at INTEGER NOT NULL
) STRICT;
CREATE INDEX rule_evidence_lead ON rule_evidence (tool, lead, id);
CREATE INDEX rule_evidence_tool ON rule_evidence (tool, id);

-- What rules approved: people have no negative numbers.
CREATE INDEX decisions_by_rules ON decisions (person_id) WHERE person_id < 0;
