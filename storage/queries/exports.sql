-- name: export_leads
SELECT leads.id AS row_id, 'L-' || leads.id AS lead_id, leads.created_at, source, leads.name, leads.phone, message,
       'C-' || coalesce(merged_into, contact_id) AS contact_id
FROM leads JOIN contacts ON contacts.id = leads.contact_id
WHERE leads.id > :after AND NOT synthetic ORDER BY leads.id LIMIT :limit

-- name: export_deals
SELECT deals.id AS row_id, 'D-' || deals.id AS deal_id, deals.created_at, 'L-' || lead_id AS lead_id, leads.name, leads.phone,
       service, summary, 'run-' || run_id AS run_id, 'C-' || coalesce(merged_into, contacts.id) AS contact_id
FROM deals JOIN leads ON leads.id = lead_id JOIN contacts ON contacts.id = deals.contact_id
WHERE deals.id > :after ORDER BY deals.id LIMIT :limit

-- name: export_decisions
WITH exact AS (
    SELECT decisions.*, tool, run_id, coalesce(proposals.name, 'P-' || proposals.id) AS proposal_name,
           CASE proposals.arguments_hash WHEN decisions.arguments_hash THEN proposals.arguments ELSE (
               SELECT arguments FROM proposal_versions AS earlier
               WHERE earlier.proposal_id = proposals.id AND earlier.arguments_hash = decisions.arguments_hash
           ) END AS arguments
    FROM decisions JOIN proposals ON proposals.id = proposal_id
)
SELECT exact.id AS row_id, proposal_name AS proposal_id, at AS decided_at, verdict, person_id, person_name, tool,
       coalesce(arguments ->> '$.text', arguments) AS decided_on, 'L-' || lead_id AS lead_id,
       coalesce(name, 'run-' || runs.id) AS run_id, arguments_hash
FROM exact JOIN runs ON runs.id = run_id
WHERE exact.id > :after ORDER BY exact.id LIMIT :limit
