-- name: latest_runs
SELECT runs.*, specs.model FROM runs JOIN specs ON specs.hash = runs.spec_hash ORDER BY id DESC LIMIT :limit

-- name: journal_of_run
SELECT * FROM journal WHERE run_id = :run_id ORDER BY seq

-- name: open_proposals
SELECT * FROM proposals WHERE state IN ('pending', 'uncertain', 'handed_over') ORDER BY id LIMIT :limit OFFSET :offset

-- name: count_open_proposals
SELECT count(*) AS open FROM proposals WHERE state IN ('pending', 'uncertain', 'handed_over')

-- name: words_since_lead
SELECT kind, text, at FROM messages
WHERE contact_id = :contact_id AND speaker = 'lead'
    AND (lead_id IS NULL OR (lead_id = :lead_id AND at > :since))
ORDER BY id

-- name: message_of_card
SELECT chat_id, message_id, thread_id FROM card_messages JOIN cards ON cards.id = card_messages.card_id
WHERE cards.kind = :kind AND cards.subject = :subject AND NOT retired ORDER BY message_id DESC LIMIT 1
