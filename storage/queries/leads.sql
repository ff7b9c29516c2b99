-- name: add_lead
INSERT INTO leads (contact_id, source, name, phone, message, phones, emails, raw_only, spam, source_id, provider_id,
                   content_hash, form, likeness, created_at)
VALUES (:contact_id, :source, :name, :phone, :message, :phones, :emails, :raw_only,
        EXISTS (SELECT 1 FROM leads WHERE likeness = :likeness AND spam), :source_id, :provider_id,
        :content_hash, :form, :likeness, :at)
RETURNING id, spam

-- name: lead
SELECT leads.*, contacts.telegram_id FROM leads JOIN contacts ON contacts.id = leads.contact_id WHERE leads.id = :id

-- name: lead_of_provider
SELECT id FROM leads WHERE source_id = :source_id AND provider_id = :provider_id

-- name: lead_of_content
SELECT id FROM leads
WHERE source_id = :source_id AND content_hash = :content_hash AND created_at >= :since
ORDER BY created_at LIMIT 1

-- name: latest_leads
SELECT leads.*, contacts.telegram_id, coalesce(merged_into, contact_id) AS standing
FROM leads JOIN contacts ON contacts.id = leads.contact_id
WHERE NOT synthetic ORDER BY leads.id DESC LIMIT :limit
