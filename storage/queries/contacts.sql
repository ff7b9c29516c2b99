-- name: upsert_contact
INSERT INTO contacts (telegram_id, name, username, language, created_at)
VALUES (:telegram_id, :name, :username, :language, :at)
ON CONFLICT (telegram_id) DO UPDATE
SET name = excluded.name, username = excluded.username, language = coalesce(excluded.language, language),
    blocked = 0
RETURNING *

-- name: synthetic_contact
INSERT INTO contacts (name, synthetic, created_at) VALUES (:name, 1, :at)
ON CONFLICT (name) WHERE synthetic DO UPDATE SET name = excluded.name
RETURNING *

-- name: contact
SELECT * FROM contacts WHERE id = :id

-- name: set_contact_phone
UPDATE contacts SET phone = :phone WHERE id = :id

-- name: set_contact_blocked
UPDATE contacts SET blocked = :blocked WHERE telegram_id = :telegram_id RETURNING id

-- name: set_contact_acknowledged
UPDATE contacts SET acknowledged_at = :at WHERE id = :id

-- name: add_message
INSERT INTO messages (contact_id, chat_id, message_id, kind, text, at)
VALUES (:contact_id, :chat_id, :message_id, :kind, :text, :at)
ON CONFLICT (chat_id, message_id) DO NOTHING

-- name: read_form
UPDATE messages SET lead_id = :lead_id WHERE chat_id = :chat_id AND message_id = :message_id

-- name: edit_unread_message
UPDATE messages SET text = :text WHERE chat_id = :chat_id AND message_id = :message_id AND lead_id IS NULL

-- name: open_burst
UPDATE contacts
SET burst_since = coalesce(burst_since, :at), burst_due = min(:at + :quiet, coalesce(burst_since, :at) + :longest)
WHERE id = :id

-- name: reopen_burst_if_unread
UPDATE contacts SET burst_since = :at, burst_due = :at
WHERE id = :id AND EXISTS (SELECT 1 FROM messages WHERE contact_id = :id AND lead_id IS NULL)

-- name: close_burst
UPDATE contacts SET burst_since = NULL, burst_due = NULL WHERE id = :id

-- name: any_burst
SELECT EXISTS (SELECT 1 FROM contacts WHERE burst_due IS NOT NULL) AS found

-- name: due_bursts
SELECT * FROM contacts
WHERE burst_due <= :at AND burst_due < coalesce((SELECT min(received_at) FROM inbox WHERE state = 'new' AND attempts = 0), :at + 1)
ORDER BY burst_due

-- name: next_burst
SELECT min(burst_due) AS at FROM contacts
WHERE burst_due < coalesce((SELECT min(received_at) FROM inbox WHERE state = 'new' AND attempts = 0), burst_due + 1)

-- name: unread_messages
SELECT * FROM messages WHERE contact_id = :contact_id AND lead_id IS NULL ORDER BY id

-- name: read_message
UPDATE messages SET lead_id = :lead_id WHERE id = :id

-- name: take_over
UPDATE contacts SET taken_by = :person_id, taken_name = :person_name WHERE id = :id

-- name: latest_run_of_contact
SELECT runs.* FROM leads JOIN runs ON runs.lead_id = leads.id
WHERE leads.contact_id = :contact_id ORDER BY runs.id DESC LIMIT 1

-- name: add_answer
INSERT INTO messages (contact_id, lead_id, chat_id, message_id, kind, text, at, speaker)
VALUES (:contact_id, :lead_id, :chat_id, :message_id, 'text', :text, :at, 'company')
ON CONFLICT (chat_id, message_id) DO NOTHING
