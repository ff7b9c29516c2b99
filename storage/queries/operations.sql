-- name: last_switch
SELECT * FROM switches WHERE id = (SELECT max(id) FROM switches)

-- name: switches
SELECT * FROM switches WHERE id > (SELECT max(id) FROM switches) - :limit ORDER BY id DESC

-- name: add_switch
INSERT INTO switches (paused, person_id, person_name, at) VALUES (:paused, :person_id, :person_name, :at)

-- name: touch_cards_of_open_runs
UPDATE cards SET version = version + 1, dirty = 1, lane = :lane, not_before = 0
WHERE kind IN ('proposal', 'run') AND CASE kind WHEN 'run' THEN subject ELSE (
    SELECT run_id FROM proposals WHERE proposals.id = cards.subject
) END IN (SELECT id FROM runs WHERE finished_at IS NULL OR finished_at >= :since)

-- name: restart_failing
UPDATE runs SET failing_since = :at WHERE status = 'queued' AND failing_since IS NOT NULL

-- name: cut_off_runs
SELECT runs.id FROM runs CROSS JOIN proposals ON proposals.run_id = runs.id
WHERE runs.status = 'queued' AND proposals.state = 'executing'

-- name: add_code
INSERT INTO codes (hash, name) VALUES (:hash, :name) ON CONFLICT (hash) DO NOTHING

-- name: code_of_run
SELECT codes.* FROM runs JOIN codes ON codes.hash = runs.code_hash WHERE runs.id = :id

-- name: units_of_runs
SELECT run_id, CASE kind WHEN 'model' THEN 'model_call' ELSE name END AS unit, count(*) AS count
FROM journal WHERE run_id BETWEEN :first AND :last AND (
    (kind = 'model' AND outcome NOT IN ('unavailable', 'error'))
    OR (kind = 'execution' AND outcome = 'executing')
    OR (kind = 'tool' AND proposal_id IS NULL AND outcome NOT IN ('invalid', 'rejected', 'unknown_tool'))
)
GROUP BY run_id, unit ORDER BY run_id, unit

-- name: add_feedback
INSERT INTO feedback (run_id, expected, input, result, versions, person_id, person_name, at, chat_id, message_id)
VALUES (:run_id, :expected, :input, :result, :versions, :person_id, :person_name, :at, :chat_id, :message_id)
ON CONFLICT (chat_id, message_id) DO UPDATE SET chat_id = excluded.chat_id
RETURNING id

-- name: latest_feedback
SELECT feedback.*, runs.name AS run_name FROM feedback JOIN runs ON runs.id = feedback.run_id
WHERE feedback.id > (SELECT max(id) FROM feedback) - :limit ORDER BY feedback.id DESC

-- name: feedback_of_run
SELECT feedback.*, runs.name AS run_name FROM feedback JOIN runs ON runs.id = feedback.run_id
WHERE feedback.run_id = :run_id ORDER BY feedback.id DESC LIMIT :limit

-- name: mentions
SELECT EXISTS (
    SELECT 1 FROM journal WHERE instr(coalesce(input, ''), :words) OR instr(coalesce(note, ''), :words)
) OR EXISTS (SELECT 1 FROM specs WHERE instr(system, :words) OR instr(tools, :words)) AS found

-- name: count_unexplained
SELECT count(*) AS runs FROM runs WHERE status IN ('failed', 'stopped', 'max_steps', 'budget') AND reason IS NULL
