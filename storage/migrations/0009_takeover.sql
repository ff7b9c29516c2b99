-- Who talks with a contact in the agent's place, and what the company's people said.
ALTER TABLE contacts ADD COLUMN taken_by INTEGER;
ALTER TABLE contacts ADD COLUMN taken_name TEXT;
ALTER TABLE messages ADD COLUMN speaker TEXT NOT NULL DEFAULT 'lead' CHECK (speaker IN ('lead', 'company'));

-- A note that passes a lead's words on to the group: a reply to it goes to that contact.
ALTER TABLE notes ADD COLUMN talks_with INTEGER REFERENCES contacts;
CREATE INDEX notes_talking ON notes (chat_id, message_id) WHERE talks_with IS NOT NULL;
-- A note that brings a person's own message to a lead: that message, which hears what came of it.
ALTER TABLE notes ADD COLUMN relayed_from INTEGER;
