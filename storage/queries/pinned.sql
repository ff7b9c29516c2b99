-- name: pinned_line
SELECT * FROM pinned_line WHERE id = 1

-- name: set_pinned_line
INSERT INTO pinned_line (id, chat_id, message_id, text, pinned) VALUES (1, :chat_id, :message_id, :text, :pinned)
ON CONFLICT (id) DO UPDATE
SET chat_id = excluded.chat_id, message_id = excluded.message_id, text = excluded.text, pinned = excluded.pinned

-- name: forget_pinned_line
DELETE FROM pinned_line WHERE id = 1

-- name: oldest_open
SELECT * FROM proposals WHERE state IN ('pending', 'uncertain', 'handed_over') ORDER BY pending_since, id LIMIT 1
