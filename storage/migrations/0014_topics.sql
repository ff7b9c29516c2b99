-- The topic of the operators' group that belongs to a contact.  making: asked for, and not answered yet;
-- lost: asked for, and the answer never came, so it may be there.
CREATE TABLE topics (
    contact_id INTEGER PRIMARY KEY REFERENCES contacts,
    chat_id INTEGER NOT NULL,
    thread_id INTEGER,
    state TEXT NOT NULL CHECK (state IN ('making', 'open', 'lost')),
    asked_at INTEGER NOT NULL
) STRICT;
CREATE UNIQUE INDEX topics_thread ON topics (chat_id, thread_id) WHERE thread_id IS NOT NULL;
CREATE INDEX topics_making ON topics (contact_id) WHERE state = 'making';

-- The topic in which a card's message stands; null in General and where there are no topics.
ALTER TABLE card_messages ADD COLUMN thread_id INTEGER;
-- Why a card is in General although it belongs into a topic.
ALTER TABLE cards ADD COLUMN detour TEXT;
