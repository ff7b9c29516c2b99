-- name: crm_link
SELECT * FROM crm_link WHERE id = 1

-- name: add_crm_link
INSERT INTO crm_link (id, provider, origin) VALUES (1, :provider, :origin)
ON CONFLICT (id) DO UPDATE SET provider = excluded.provider, trouble = NULL

-- name: set_crm_trouble
UPDATE crm_link SET trouble = :trouble WHERE id = 1

-- name: put_crm_item
INSERT INTO crm_outbox (kind, subject, contact_id) VALUES (:kind, :subject, :contact_id)
ON CONFLICT (kind, subject) DO UPDATE SET version = version + 1, dirty = 1, not_before = 0

-- name: put_crm_item_once
INSERT INTO crm_outbox (kind, subject, contact_id) VALUES (:kind, :subject, :contact_id)
ON CONFLICT (kind, subject) DO NOTHING

-- name: touch_crm_contact
UPDATE crm_outbox SET version = version + 1, dirty = 1, not_before = 0 WHERE kind = 'contact' AND subject = :subject

-- name: touch_crm_deals
UPDATE crm_outbox SET version = version + 1, dirty = 1, not_before = 0 WHERE kind = 'deal' AND contact_id = :contact_id

-- name: touch_crm_items
UPDATE crm_outbox SET version = version + 1, dirty = 1, not_before = 0

-- name: due_crm_items
SELECT * FROM crm_outbox AS item
WHERE dirty = 1 AND not_before <= :at AND NOT EXISTS (
    SELECT 1 FROM crm_outbox AS earlier
    WHERE earlier.contact_id = item.contact_id AND earlier.dirty = 1 AND earlier.id < item.id
        AND earlier.error IS NULL
)
ORDER BY not_before, id LIMIT 1

-- name: next_crm_item
SELECT min(not_before) AS at FROM crm_outbox WHERE dirty = 1 AND not_before > :at

-- name: crm_item
SELECT * FROM crm_outbox WHERE kind = :kind AND subject = :subject

-- name: brought_crm_item
UPDATE crm_outbox
SET dirty = version <> :version, external_id = :external_id, sent = :sent, error = NULL, not_before = 0
WHERE id = :id

-- name: leave_crm_item
UPDATE crm_outbox SET dirty = 0, error = NULL WHERE kind = :kind AND subject = :subject

-- name: put_off_crm_item
UPDATE crm_outbox SET not_before = :not_before, error = :error WHERE id = :id

-- name: count_crm_items
SELECT count(*) AS items FROM crm_outbox WHERE dirty = 1

-- name: refused_crm_items
SELECT * FROM crm_outbox WHERE error IS NOT NULL ORDER BY id LIMIT :limit

-- name: open_deals
SELECT * FROM deals WHERE stage IN ('new', 'in_progress') ORDER BY id

-- name: notes_of_deal
SELECT id FROM deal_changes WHERE deal_id = :deal_id AND kind = 'note' ORDER BY id
