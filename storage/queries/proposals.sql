-- name: add_proposal
INSERT INTO proposals (run_id, call_id, tool, arguments, arguments_hash, token, state, available, irreversible,
                       created_at, expires_at, name, batch, channel, address, marks, quorum, pending_since, remind_at)
VALUES (:run_id, :call_id, :tool, :arguments, :arguments_hash, :token, :state, :available, :irreversible,
        :created_at, :expires_at, :name, :batch, :channel, :address, :marks, :quorum, :pending_since, :remind_at)
ON CONFLICT (run_id, call_id) DO NOTHING
RETURNING id

-- name: proposal
SELECT * FROM proposals WHERE id = :id

-- name: proposals_of_run
SELECT * FROM proposals WHERE run_id = :run_id ORDER BY id

-- name: proposal_by_token
SELECT * FROM proposals WHERE token = :token
UNION ALL
SELECT proposals.* FROM outdated_tokens JOIN proposals ON proposals.id = proposal_id
WHERE outdated_tokens.token = :token

-- name: add_outdated_token
INSERT INTO outdated_tokens (token, proposal_id) VALUES (:token, :proposal_id)

-- name: overdue_proposals
SELECT * FROM proposals WHERE state = 'pending' AND expires_at <= :at

-- name: next_question
SELECT min(at) AS at FROM (
    SELECT min(expires_at) AS at FROM proposals WHERE state = 'pending'
    UNION ALL
    SELECT min(remind_at) FROM proposals WHERE state = 'pending' AND remind_at IS NOT NULL
) AS due

-- name: proposals_to_remind
SELECT * FROM proposals WHERE state = 'pending' AND remind_at <= :at ORDER BY remind_at, id

-- name: remind_proposal
UPDATE proposals SET remind_at = :remind_at, escalated = :escalated WHERE id = :id

-- name: put_off_reminders
UPDATE proposals SET remind_at = :until WHERE state = 'pending' AND remind_at <= :at

-- name: next_delayed
SELECT min(execute_after) AS at FROM proposals
WHERE state = 'approved' AND execute_after > 0 AND execute_after > :at

-- name: move_proposal
UPDATE proposals
SET state = :after, note = :note, execute_after = :execute_after, began_at = :began_at,
    executed_at = :executed_at, receipt = coalesce(:receipt, receipt)
WHERE id = :id AND state = :before

-- name: renew_token
UPDATE proposals SET token = :token WHERE id = :id

-- name: decide_proposal
UPDATE proposals
SET state = :after, decided_by = :person_id, decided_name = :person_name, decided_at = :at,
    execute_after = :execute_after, note = :note, votes = :votes, executed_at = :executed_at,
    settled_by = :settler_id, settled_name = :settler_name,
    pending_since = :pending_since, remind_at = :remind_at, escalated = :escalated
WHERE id = :id AND state = :before AND token = :token

-- name: revise_proposal
UPDATE proposals
SET state = :after, call_id = :call_id, arguments = :arguments, arguments_hash = :arguments_hash, token = :new_token,
    version = :version, edited_by = :person_id, edited_name = :person_name, expires_at = :expires_at,
    marks = :marks, votes = NULL, quorum = :quorum, pending_since = :pending_since, remind_at = :remind_at, escalated = 0
WHERE id = :id AND state = :before AND token = :token

-- name: keep_version
INSERT INTO proposal_versions (proposal_id, version, arguments, arguments_hash, edited_by, edited_name, replaced_at)
VALUES (:proposal_id, :version, :arguments, :arguments_hash, :person_id, :person_name, :at)

-- name: versions_of_proposal
SELECT * FROM proposal_versions WHERE proposal_id = :id ORDER BY version

-- name: send_back_proposal
UPDATE proposals SET state = :after, remark = :remark, token = :new_token
WHERE id = :id AND state = :before AND token = :token

-- name: vote
UPDATE proposals SET votes = :votes WHERE id = :id AND state = :state AND token = :token

-- name: warn
INSERT INTO warnings (token, person_id, at) VALUES (:token, :person_id, :at)
ON CONFLICT (token, person_id) DO NOTHING

-- name: warned
SELECT EXISTS (SELECT 1 FROM warnings WHERE token = :token AND person_id = :person_id AND at <= :before) AS warned

-- name: give_reason
UPDATE proposals SET reason = :reason WHERE id = :id AND state = :state AND reason IS NULL

-- name: proposals_of_card
SELECT * FROM proposals WHERE id = :card
UNION ALL
SELECT * FROM proposals WHERE batch = :card
ORDER BY id

-- name: last_decision
SELECT verdict, arguments_hash FROM decisions WHERE proposal_id = :id ORDER BY id DESC LIMIT 1
