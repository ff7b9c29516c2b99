-- name: contact_of_reach
UPDATE contacts SET name = :name WHERE reach = :reach RETURNING *

-- name: add_contact
INSERT INTO contacts (name, reach, created_at) VALUES (:name, :reach, :at) RETURNING *

-- name: add_identifier
INSERT INTO identifiers (kind, value, contact_id, verified, source, since)
VALUES (:kind, :value, :contact_id, :verified, :source, :at)
ON CONFLICT (kind, value, contact_id) DO UPDATE SET verified = max(verified, excluded.verified)

-- name: take_phone_from
UPDATE contacts SET phone = NULL
WHERE id IN (SELECT contact_id FROM identifiers WHERE kind = 'phone' AND value = :phone AND verified)

-- name: drop_phone_of_others
DELETE FROM identifiers WHERE verified AND kind = 'phone' AND value = :phone AND contact_id <> :contact_id

-- name: drop_former_phone
DELETE FROM identifiers WHERE verified AND kind = 'phone' AND value <> :phone AND contact_id = :contact_id

-- name: holders
SELECT DISTINCT coalesce(merged_into, contacts.id) AS standing, verified
FROM identifiers JOIN contacts ON contacts.id = contact_id
WHERE kind = :kind AND value = :value AND contact_id <> :contact_id

-- name: family
SELECT * FROM contacts WHERE id = :standing
UNION ALL
SELECT * FROM contacts WHERE merged_into = :standing

-- name: identifiers_of_contact
SELECT * FROM identifiers WHERE contact_id = :contact_id ORDER BY kind, value

-- name: any_merge
SELECT EXISTS (SELECT 1 FROM merges WHERE state = 'merged') AS found

-- name: add_merge
INSERT INTO merges (winner, loser, state, reason, kind, value, at, decided_by, decided_name)
VALUES (:winner, :loser, :state, :reason, :kind, :value, :at, :person_id, :person_name)
RETURNING *

-- name: merge
SELECT * FROM merges WHERE id = :id

-- name: holding_merge
SELECT * FROM merges WHERE loser = :loser AND state = 'merged'

-- name: count_suggested_merges
SELECT count(*) AS merges FROM merges WHERE state = 'suggested'

-- name: latest_cards_of_contact
SELECT 'run' AS kind, id AS subject FROM runs WHERE id IN (
    SELECT runs.id FROM leads JOIN runs ON runs.lead_id = leads.id WHERE leads.contact_id = :contact_id
    ORDER BY runs.id DESC LIMIT :runs
)
UNION
SELECT 'proposal', coalesce(batch, id) FROM proposals WHERE run_id IN (
    SELECT runs.id FROM leads JOIN runs ON runs.lead_id = leads.id WHERE leads.contact_id = :contact_id
    ORDER BY runs.id DESC LIMIT :runs
)
UNION
SELECT 'deal', id FROM deals WHERE contact_id = :contact_id

-- name: merges_of_contact
SELECT * FROM merges WHERE winner = :id
UNION
SELECT * FROM merges WHERE loser = :id
ORDER BY id

-- name: decide_merge
UPDATE merges
SET state = :state, winner = :winner, loser = :loser, at = :at, decided_by = :person_id, decided_name = :person_name
WHERE id = :id AND state = 'suggested'
RETURNING *

-- name: undo_merge
UPDATE merges SET state = 'undone', undone_by = :person_id, undone_name = :person_name, undone_at = :at
WHERE id = :id AND state = 'merged'
RETURNING *

-- name: merge_contacts
UPDATE contacts SET merged_into = :winner WHERE id = :loser OR merged_into = :loser

-- name: stand_for
UPDATE contacts SET merged_into = :standing WHERE id = :id

-- name: settle_merge
UPDATE merges SET state = 'settled' WHERE id = :id AND state = 'suggested'

-- name: latest_people
SELECT * FROM contacts WHERE merged_into IS NULL AND NOT synthetic ORDER BY id DESC LIMIT :limit

-- name: leads_of_contact
SELECT id FROM leads WHERE contact_id = :contact_id

-- name: deals_of_contact
SELECT id FROM deals WHERE contact_id = :contact_id
