-- name: add_spec
INSERT INTO specs (hash, agent, model, system, tools, max_tokens, result_schema)
VALUES (:hash, :agent, :model, :system, :tools, :max_tokens, :result_schema)
ON CONFLICT (hash) DO NOTHING

-- name: spec
SELECT * FROM specs WHERE hash = :hash

-- name: add_run
INSERT INTO runs (agent, lead_id, contact_id, spec_hash, status, epoch, seq, max_steps, max_tokens, created_at,
                  code_hash, name)
VALUES (:agent, :lead_id, :contact_id, :spec_hash, :status, :epoch, 1, :max_steps, :max_tokens, :created_at,
        :code_hash, :name)
RETURNING id

-- name: run_named
SELECT id FROM runs WHERE name = :name

-- name: run
SELECT * FROM runs WHERE id = :id

-- name: lead_of_run
SELECT leads.*, contacts.telegram_id FROM leads JOIN contacts ON contacts.id = leads.contact_id
WHERE leads.id = :lead_id

-- name: claim_run
UPDATE runs SET status = 'running', epoch = epoch + 1, retry_at = NULL
WHERE id = :id AND status = 'queued' AND coalesce(retry_at, 0) <= :at
RETURNING *

-- name: save_run
UPDATE runs
SET seq = :after, steps = :steps, tokens_input = :tokens_input, tokens_output = :tokens_output,
    tokens_cache_write = :tokens_cache_write, tokens_cache_read = :tokens_cache_read, attempts = :attempts,
    failing_since = :failing_since, text = :text, reason = :reason
WHERE id = :id AND epoch = :epoch AND seq = :seq

-- name: leave_run
UPDATE runs
SET seq = :after, steps = :steps, tokens_input = :tokens_input, tokens_output = :tokens_output,
    tokens_cache_write = :tokens_cache_write, tokens_cache_read = :tokens_cache_read, attempts = :attempts,
    failing_since = :failing_since, text = :text, reason = :reason, result = :result,
    status = :status, retry_at = :retry_at, finished_at = :finished_at
WHERE id = :id AND epoch = :epoch AND seq = :seq

-- name: add_fragment
INSERT INTO transcript (run_id, seq, fragment) VALUES (:run_id, :seq, :fragment)

-- name: fragments
SELECT fragment FROM transcript WHERE run_id = :run_id ORDER BY seq

-- name: queue_run
UPDATE runs SET status = 'queued', retry_at = nullif(:not_before, 0)
WHERE id = :id AND (status = 'awaiting_confirmation'
    OR (status = 'queued' AND failing_since IS NULL AND coalesce(retry_at, 0) > :not_before))

-- name: has_earlier_lead
SELECT EXISTS (SELECT 1 FROM leads WHERE contact_id = :contact_id AND id < :lead_id) AS found

-- name: has_unread
SELECT EXISTS (SELECT 1 FROM messages WHERE contact_id = :contact_id AND lead_id IS NULL) AS found

-- name: cancel_run
UPDATE runs SET status = 'cancelled', finished_at = :at, reason = :reason, retry_at = NULL, epoch = epoch + 1
WHERE id = :id AND finished_at IS NULL

-- name: requeue_running
UPDATE runs SET status = 'queued' WHERE status = 'running' AND finished_at IS NULL

-- name: queued_runs
SELECT id FROM runs WHERE status = 'queued' AND coalesce(retry_at, 0) <= :at ORDER BY coalesce(retry_at, 0), id

-- name: next_retry
SELECT min(coalesce(retry_at, 0)) AS at FROM runs WHERE status = 'queued' AND coalesce(retry_at, 0) > :at

-- name: queue_delayed
UPDATE runs SET status = 'queued'
WHERE status = 'awaiting_confirmation' AND id IN (
    SELECT run_id FROM proposals WHERE state = 'approved' AND execute_after > 0 AND execute_after <= :at
      AND NOT EXISTS (
        SELECT 1 FROM proposals AS earlier WHERE earlier.run_id = proposals.run_id AND earlier.id < proposals.id
          AND earlier.state IN ('pending', 'approved', 'executing', 'uncertain')
      )
)
RETURNING id

-- name: open_run_of_contact
SELECT * FROM runs WHERE contact_id = :contact_id AND finished_at IS NULL

-- name: open_runs
SELECT * FROM runs INDEXED BY runs_open WHERE finished_at IS NULL

-- name: read_messages
UPDATE messages SET lead_id = :lead_id WHERE contact_id = :contact_id AND lead_id IS NULL

-- name: needs_person
SELECT EXISTS (SELECT 1 FROM cards WHERE kind = 'run' AND subject = :run_id)
    OR (NOT EXISTS (SELECT 1 FROM proposals WHERE run_id = :run_id)
        AND NOT EXISTS (SELECT 1 FROM escalations WHERE run_id = :run_id))
    OR (EXISTS (SELECT 1 FROM proposals WHERE run_id = :run_id AND state = 'expired' AND available)
        AND NOT EXISTS (SELECT 1 FROM proposals WHERE run_id = :run_id AND state IN ('executed', 'handed_over')))
    AS needed

-- name: add_journal
INSERT INTO journal (run_id, seq, at, step, kind, name, outcome, ms, tokens, input, proposal_id, note, attempt)
VALUES (:run_id, :seq, :at, :step, :kind, :name, :outcome, :ms, :tokens, :input, :proposal_id, :note, :attempt)

-- name: last_journal
SELECT coalesce(max(seq), 0) AS seq FROM journal WHERE run_id = :run_id
