-- name: hold_lead
UPDATE leads SET waits_until = :until WHERE id = :id

-- name: due_lead
SELECT leads.*, contacts.telegram_id FROM leads JOIN contacts ON contacts.id = leads.contact_id
WHERE waits_until <= :at ORDER BY waits_until, leads.id LIMIT 1

-- name: release_lead
UPDATE leads SET waits_until = NULL WHERE id = :id

-- name: unread_lead
UPDATE messages SET lead_id = NULL WHERE contact_id = :contact_id AND lead_id = :id

-- name: next_waiting
SELECT min(waits_until) AS at FROM leads WHERE waits_until > :at

-- name: count_waiting
SELECT count(*) AS count, coalesce(max(id), 0) AS last FROM leads WHERE waits_until > 0

-- name: first_waiting
SELECT leads.*, contacts.telegram_id FROM leads JOIN contacts ON contacts.id = leads.contact_id
WHERE waits_until > 0 ORDER BY waits_until, leads.id LIMIT :limit

-- name: let_waiting_go
UPDATE leads SET waits_until = 0 WHERE waits_until > 0 AND id <= :last_id

-- name: mark_waiting
UPDATE leads SET spam = 1, waits_until = NULL WHERE waits_until > 0 AND id <= :last_id

-- name: mark_alike_of_waiting
UPDATE leads SET spam = 1, waits_until = CASE WHEN id <= :last_id THEN waits_until END
WHERE likeness IN (SELECT likeness FROM leads WHERE waits_until > 0 AND id <= :last_id AND likeness IS NOT NULL)

-- name: mark_alike
UPDATE leads
SET spam = :spam,
    waits_until = CASE WHEN spam AND NOT :spam AND NOT EXISTS (SELECT 1 FROM runs WHERE lead_id = leads.id) THEN 0 END
WHERE id = :id OR likeness = (SELECT likeness FROM leads WHERE id = :id)

-- name: calls_since
SELECT coalesce(sum(steps), 0) AS calls FROM runs WHERE created_at >= :at

-- name: count_working_runs
SELECT count(*) AS runs FROM runs INDEXED BY runs_open
WHERE finished_at IS NULL AND status IN ('queued', 'running')

-- name: add_digest
INSERT INTO digests (token, reason, shown, created_at) VALUES (:token, :reason, :shown, :at) RETURNING id

-- name: open_digest
SELECT * FROM digests WHERE verdict IS NULL

-- name: digest
SELECT * FROM digests WHERE id = :id

-- name: digest_by_token
SELECT * FROM digests WHERE token = :token

-- name: show_digest
UPDATE digests SET shown = :shown WHERE id = :id

-- name: decide_digest
UPDATE digests
SET verdict = :verdict, leads = :leads, person_id = :person_id, person_name = :person_name, decided_at = :at
WHERE id = :id AND verdict IS NULL
