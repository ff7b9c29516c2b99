-- name: receive_update
INSERT INTO inbox (update_id, raw, received_at) VALUES (:update_id, :raw, :at)
ON CONFLICT (update_id) DO NOTHING

-- name: new_updates
SELECT update_id, raw, attempts FROM inbox WHERE state = 'new' ORDER BY received_at, update_id LIMIT :limit

-- name: finish_update
UPDATE inbox SET state = 'done', raw = NULL WHERE update_id = :update_id

-- name: fail_update
UPDATE inbox SET attempts = attempts + 1, error = :error, state = CASE WHEN attempts + 1 >= :limit THEN 'parked' ELSE 'new' END
WHERE update_id = :update_id AND state = 'new'
RETURNING state

-- name: touch_card
INSERT INTO cards (kind, subject, lane, not_before) VALUES (:kind, :subject, :lane, :not_before)
ON CONFLICT (kind, subject) DO UPDATE
SET version = version + 1, dirty = 1, lane = :edit_lane, not_before = :not_before, attempts = 0

-- name: touch_card_if_shown
UPDATE cards SET version = version + 1, dirty = 1, not_before = 0 WHERE kind = :kind AND subject = :subject

-- name: dirty_cards
SELECT * FROM cards WHERE dirty = 1 AND lane <= :lane AND not_before <= :at ORDER BY lane, id LIMIT :limit

-- name: next_card
SELECT min(not_before) AS at FROM cards WHERE dirty = 1 AND not_before > :at

-- name: card
SELECT * FROM cards WHERE id = :id

-- name: card_of
SELECT * FROM cards WHERE kind = :kind AND subject = :subject

-- name: card_of_message
SELECT cards.* FROM card_messages JOIN cards ON cards.id = card_messages.card_id
WHERE chat_id = :chat_id AND message_id = :message_id

-- name: card_messages
SELECT * FROM card_messages WHERE card_id = :card_id ORDER BY message_id

-- name: card_message
SELECT * FROM card_messages WHERE chat_id = :chat_id AND message_id = :message_id

-- name: add_card_message
INSERT INTO card_messages (chat_id, message_id, thread_id, card_id, shown)
VALUES (:chat_id, :message_id, :thread_id, :card_id, :shown)
ON CONFLICT (chat_id, message_id) DO NOTHING

-- name: show_card_message
UPDATE card_messages SET shown = :shown WHERE chat_id = :chat_id AND message_id = :message_id

-- name: retire_card_messages
UPDATE card_messages SET retired = 1, shown = 0 WHERE card_id = :card_id

-- name: forget_card_document
UPDATE cards SET document_id = NULL WHERE id = (
    SELECT card_id FROM card_messages WHERE chat_id = :chat_id AND message_id = :message_id AND NOT retired
)

-- name: forget_card_message
DELETE FROM card_messages WHERE chat_id = :chat_id AND message_id = :message_id

-- name: clean_card
UPDATE cards SET dirty = 0, attempts = 0, error = NULL, lane = 0
WHERE id = :id AND version = :version

-- name: delay_card
UPDATE cards SET not_before = :not_before, attempts = attempts + 1, error = :error,
    maybe_posted = max(maybe_posted, :maybe_posted)
WHERE id = :id

-- name: set_card_document
UPDATE cards SET document_id = :document_id WHERE id = :id AND version = :version

-- name: set_card_detour
UPDATE cards SET detour = :detour WHERE id = :id

-- name: outdate_card_document
UPDATE cards SET document_id = NULL WHERE kind = :kind AND subject = :subject

-- name: unposted_cards_maybe_posted
UPDATE cards SET maybe_posted = 1
WHERE dirty = 1 AND NOT EXISTS (SELECT 1 FROM card_messages WHERE card_id = cards.id AND NOT retired)

-- name: repost_open_cards
UPDATE cards SET version = version + 1, dirty = 1, lane = 1, not_before = 0, document_id = NULL
WHERE kind = 'proposal' AND subject IN (SELECT id FROM proposals WHERE state IN ('pending', 'uncertain', 'handed_over'))
RETURNING id

-- name: add_note
INSERT INTO notes (lane, chat_id, reply_to, answers, text, share_phone, silent, once, created_at, asks_about, asks_token,
                   talks_with, relayed_from, buttons)
VALUES (:lane, :chat_id, :reply_to, :answers, :text, :share_phone, :silent, :once, :at, :asks_about, :asks_token,
        :talks_with, :relayed_from, :buttons)
ON CONFLICT (chat_id, answers) DO NOTHING

-- name: new_notes
SELECT * FROM notes
WHERE state = 'new' AND lane <= :lane AND not_before <= :at AND NOT (once AND relayed_from IS NULL AND :paused)
ORDER BY lane, id LIMIT :limit

-- name: question
SELECT asks_about, asks_token FROM notes
WHERE chat_id = :chat_id AND message_id = :message_id AND asks_about IS NOT NULL

-- name: talks_with
SELECT talks_with FROM notes WHERE chat_id = :chat_id AND message_id = :message_id AND talks_with IS NOT NULL

-- name: next_note
SELECT min(not_before) AS at FROM notes WHERE state = 'new' AND not_before > :at

-- name: begin_note
UPDATE notes SET state = 'sending', attempts = attempts + 1
WHERE id = :id AND state = 'new' AND NOT (once AND relayed_from IS NULL AND :paused)

-- name: end_note
UPDATE notes SET state = :state, message_id = :message_id, error = :error WHERE id = :id

-- name: detach_note
UPDATE notes SET state = 'new', reply_to = NULL WHERE id = :id

-- name: delay_note
UPDATE notes SET state = 'new', not_before = :not_before, attempts = attempts + 1, error = :error WHERE id = :id

-- name: recover_notes
UPDATE notes SET state = CASE WHEN once THEN 'lost' ELSE 'new' END WHERE state = 'sending'

-- name: migrate_chat
INSERT INTO migrated_chats (old_id, new_id) VALUES (:old_id, :new_id)
ON CONFLICT (old_id) DO UPDATE SET new_id = excluded.new_id

-- name: migrated_chats
SELECT * FROM migrated_chats

-- name: set_last_poll
INSERT INTO polls (id, at) VALUES (1, :at) ON CONFLICT (id) DO UPDATE SET at = excluded.at

-- name: last_poll
SELECT at FROM polls WHERE id = 1

-- name: claim_for_bot
INSERT INTO owner (id, bot_id) VALUES (1, :bot_id) ON CONFLICT (id) DO NOTHING

-- name: owner_bot
SELECT bot_id FROM owner WHERE id = 1
