-- name: deals
SELECT * FROM deals WHERE contact_id = :contact_id ORDER BY id

-- name: deals_of_run
SELECT * FROM deals WHERE run_id = :run_id ORDER BY id

-- name: add_deal
INSERT INTO deals (contact_id, lead_id, run_id, service, summary, created_at)
VALUES (:contact_id, :lead_id, :run_id, :service, :summary, :created_at)
RETURNING *

-- name: add_escalation
INSERT INTO escalations (lead_id, run_id, reason, created_at) VALUES (:lead_id, :run_id, :reason, :created_at)

-- name: escalations_of_run
SELECT reason FROM escalations WHERE run_id = :run_id ORDER BY id

-- name: conversation
SELECT speaker, kind, text, at FROM messages
WHERE contact_id = :contact_id AND lead_id < :lead_id
UNION ALL
SELECT 'company', 'text', proposals.arguments ->> '$.text', executed_at
FROM leads JOIN runs ON runs.lead_id = leads.id JOIN proposals ON proposals.run_id = runs.id
WHERE leads.contact_id = :contact_id
  AND proposals.tool = 'send_reply' AND proposals.state = 'executed'
ORDER BY at DESC LIMIT :limit
