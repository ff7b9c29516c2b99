-- name: rules
SELECT rules.*, latest.change, latest.state, latest.token, latest.until, latest.owner_id, latest.owner_name,
       latest.person_id, latest.person_name, latest.broken_on, latest.broken_by, latest.at
FROM rules JOIN rule_changes AS latest ON latest.rule_id = rules.id
  AND latest.change = (SELECT max(change) FROM rule_changes WHERE rule_id = rules.id)
ORDER BY rules.id

-- name: add_rule
INSERT INTO rules (tool, conditions, written, support, replayed, created_at)
VALUES (:tool, :conditions, :written, :support, :replayed, :at)
RETURNING id

-- name: add_rule_change
INSERT INTO rule_changes (rule_id, change, state, token, until, owner_id, owner_name, person_id, person_name,
                          broken_on, broken_by, at)
VALUES (:rule_id, :change, :state, :token, :until, :owner_id, :owner_name, :person_id, :person_name,
        :broken_on, :broken_by, :at)

-- name: add_evidence
INSERT INTO rule_evidence (proposal_id, tool, lead, outcome, at) VALUES (:proposal_id, :tool, :lead, :outcome, :at)

-- name: latest_evidence
SELECT *, '{}' AS arguments FROM rule_evidence WHERE tool = :tool AND lead = :lead ORDER BY id DESC LIMIT :limit

-- name: evidence_of_tool
SELECT rule_evidence.*, coalesce(first.arguments, proposals.arguments) AS arguments
FROM rule_evidence
JOIN proposals ON proposals.id = rule_evidence.proposal_id
LEFT JOIN proposal_versions AS first ON first.proposal_id = rule_evidence.proposal_id AND first.version = 1
WHERE rule_evidence.tool = :tool
ORDER BY rule_evidence.id DESC LIMIT :limit

-- name: uses_of_rules
SELECT -person_id AS rule_id, count(*) AS uses FROM decisions
WHERE person_id < 0 AND verdict = 'approve' GROUP BY person_id
