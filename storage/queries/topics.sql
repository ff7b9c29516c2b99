-- name: topic
SELECT * FROM topics WHERE contact_id = :contact_id AND chat_id = :chat_id

-- name: contact_of_topic
SELECT contact_id FROM topics WHERE chat_id = :chat_id AND thread_id = :thread_id

-- name: begin_topic
INSERT INTO topics (contact_id, chat_id, thread_id, state, asked_at) VALUES (:contact_id, :chat_id, NULL, 'making', :at)
ON CONFLICT (contact_id) DO UPDATE
SET chat_id = excluded.chat_id, thread_id = NULL, state = 'making', asked_at = excluded.asked_at

-- name: open_topic
UPDATE topics SET state = 'open', thread_id = :thread_id, chat_id = :chat_id WHERE contact_id = :contact_id

-- name: adopt_topic
UPDATE topics SET state = 'open', thread_id = :thread_id
WHERE contact_id = :contact_id AND chat_id = :chat_id AND state IN ('making', 'lost')

-- name: lose_topic
UPDATE topics SET state = 'lost' WHERE contact_id = :contact_id AND state = 'making'

-- name: forget_topic
DELETE FROM topics WHERE contact_id = :contact_id AND chat_id = :chat_id AND thread_id IS :thread_id

-- name: lose_topics
UPDATE topics SET state = 'lost' WHERE state = 'making'
