-- name: subscriptions
SELECT * FROM subscriptions WHERE state <> 'removed' ORDER BY id

-- name: subscription
SELECT * FROM subscriptions WHERE id = :id AND state <> 'removed'

-- name: add_subscription
INSERT INTO subscriptions (url, secret, types, created_at) VALUES (:url, :secret, :types, :at)
ON CONFLICT (url) WHERE state <> 'removed' DO UPDATE
SET secret = excluded.secret, types = excluded.types, state = 'active', reason = NULL
WHERE subscriptions.state = 'disabled'
RETURNING *

-- name: end_subscription
UPDATE subscriptions SET state = :state, reason = :reason, secret = CASE :state WHEN 'removed' THEN '' ELSE secret END
WHERE id = :id AND state = 'active' OR (id = :id AND state = 'disabled' AND :state = 'removed')

-- name: drop_deliveries
UPDATE deliveries SET state = 'dropped', error = coalesce(error, :reason)
WHERE subscription_id = :subscription_id AND state IN ('behind', 'ready')

-- name: add_event
INSERT INTO events (key, type, lead_id, body, at) VALUES (:key, :type, :lead_id, :body, :at) RETURNING id

-- name: add_delivery
INSERT INTO deliveries (event_id, subscription_id, lead_id, state)
VALUES (:event_id, :subscription_id, :lead_id, CASE WHEN EXISTS (
    SELECT 1 FROM deliveries
    WHERE subscription_id = :subscription_id AND lead_id = :lead_id AND state IN ('behind', 'ready')
) THEN 'behind' ELSE 'ready' END)

-- name: ready_deliveries
SELECT deliveries.*, events.key, events.type, events.body, events.at, subscriptions.url
FROM deliveries JOIN events ON events.id = event_id JOIN subscriptions ON subscriptions.id = subscription_id
WHERE subscription_id = :subscription_id AND deliveries.state = 'ready' AND not_before <= :at
ORDER BY not_before LIMIT :limit

-- name: next_delivery
SELECT min(not_before) AS at FROM deliveries
WHERE subscription_id = :subscription_id AND state = 'ready' AND not_before > :at

-- name: delivery
SELECT deliveries.*, events.key, events.type, events.body, events.at, subscriptions.url
FROM deliveries JOIN events ON events.id = event_id JOIN subscriptions ON subscriptions.id = subscription_id
WHERE deliveries.id = :id

-- name: latest_deliveries
SELECT deliveries.*, events.key, events.type, events.body, events.at, subscriptions.url
FROM deliveries JOIN events ON events.id = event_id JOIN subscriptions ON subscriptions.id = subscription_id
ORDER BY deliveries.id DESC LIMIT :limit

-- name: move_delivery
UPDATE deliveries
SET state = :after, attempts = :attempts, not_before = :not_before, status = :status, error = :error, tried_at = :at
WHERE id = :id AND state = 'ready' AND attempts = :tried

-- name: renew_delivery
UPDATE deliveries SET state = 'ready', attempts = 0, not_before = 0 WHERE id = :id AND state <> 'behind'

-- name: ready_next_delivery
UPDATE deliveries SET state = 'ready' WHERE state = 'behind' AND id = (
    SELECT min(id) FROM deliveries
    WHERE subscription_id = :subscription_id AND lead_id = :lead_id AND state IN ('behind', 'ready')
)

-- name: lead_by_run
SELECT leads.*, contacts.telegram_id
FROM runs JOIN leads ON leads.id = runs.lead_id JOIN contacts ON contacts.id = leads.contact_id
WHERE runs.id = :run_id
