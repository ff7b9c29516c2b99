-- name: source
SELECT * FROM sources WHERE name = :name AND removed_at IS NULL

-- name: sources
SELECT * FROM sources WHERE removed_at IS NULL ORDER BY name

-- name: add_source
INSERT INTO sources (name, preset, token, secret, created_at) VALUES (:name, :preset, :token, :secret, :at)
ON CONFLICT (name) WHERE removed_at IS NULL DO NOTHING
RETURNING *

-- name: rotate_source
UPDATE sources SET token = :token WHERE name = :name AND removed_at IS NULL RETURNING *

-- name: remove_source
UPDATE sources SET removed_at = :at WHERE name = :name AND removed_at IS NULL

-- name: receive_post
INSERT INTO posts (source_id, content_type, delivery_id, body, body_hash, flooding, received_at)
VALUES (:source_id, :content_type, :delivery_id, :body, :body_hash, :flooding, :at)

-- name: lead_of_post
SELECT lead_id FROM posts
WHERE source_id = :source_id AND delivery_id = :delivery_id AND lead_id IS NOT NULL
UNION ALL
SELECT lead_id FROM posts
WHERE :delivery_id IS NULL AND source_id = :source_id AND body_hash = :body_hash AND received_at >= :since
    AND lead_id IS NOT NULL
LIMIT 1

-- name: new_posts
SELECT posts.id AS post_id, sources.*, content_type, delivery_id, body, flooding, attempts, received_at
FROM posts JOIN sources ON sources.id = source_id
WHERE state = 'new' ORDER BY attempts, posts.id LIMIT :limit

-- name: finish_post
UPDATE posts SET state = 'done', lead_id = :lead_id WHERE id = :id

-- name: fail_post
UPDATE posts SET attempts = attempts + 1, error = :error, state = CASE WHEN attempts + 1 >= :limit THEN 'parked' ELSE 'new' END
WHERE id = :id
RETURNING state
