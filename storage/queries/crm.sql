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

-- name: deal
SELECT * FROM deals WHERE id = :id

-- name: page_of_deals
SELECT * FROM deals
WHERE stage IN (:stage_0, :stage_1, :stage_2, :stage_3) AND (:owner_id IS NULL OR owner_id = :owner_id)
ORDER BY id DESC LIMIT :limit OFFSET :offset

-- name: count_deals
SELECT count(*) AS deals FROM deals
WHERE stage IN (:stage_0, :stage_1, :stage_2, :stage_3) AND (:owner_id IS NULL OR owner_id = :owner_id)

-- name: move_deal
UPDATE deals SET stage = :stage WHERE id = :id AND stage = :before AND stage <> :stage

-- name: take_deal
UPDATE deals SET owner_id = :owner_id, owner_name = :owner_name WHERE id = :id AND owner_id IS NOT :owner_id

-- name: add_deal_change
INSERT INTO deal_changes (deal_id, kind, before, after, person_id, person_name, at, chat_id, message_id)
VALUES (:deal_id, :kind, :before, :after, :person_id, :person_name, :at, :chat_id, :message_id)
RETURNING id

-- name: deal_change
SELECT * FROM deal_changes WHERE id = :id

-- name: changes_of_deal
SELECT * FROM deal_changes WHERE deal_id = :deal_id ORDER BY id

-- name: note_of_message
SELECT id FROM deal_changes WHERE chat_id = :chat_id AND message_id = :message_id
