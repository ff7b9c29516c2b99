/** What the page knows of the stand-in Telegram: loaded whole, then kept up to date by events. */

export class Store {
  loaded = false;
  me = { id: 0, first_name: "bot" };
  model = null;
  operators = [];
  leads = [];
  groupId = null;
  chats = new Map();
  journal = [];
  inbox = new Map();
  submissions = new Map();

  /** Take the answer of GET /sandbox/state. Returns what is new since the last: {messages: [[chat id, message]], lines, items}. */
  load(state) {
    const known = this.loaded ? { chats: this.chats, lines: this.journal.length, items: this.inbox.size } : null;
    this.loaded = true;
    this.me = state.me ?? this.me;
    this.model = state.model ?? null;
    this.operators = state.operators ?? [];
    this.leads = state.leads ?? [];
    this.groupId = state.group_id;
    this.journal = [...(state.journal ?? [])];
    this.inbox = byNumber(state.inbox);
    this.submissions = byNumber(state.submissions);
    this.chats = new Map();
    for (const [id, chat] of Object.entries(state.chats ?? {})) this.chats.set(id, readChat(chat));
    return known ? this.#since(known) : { messages: [], lines: 0, items: 0 };
  }

  /** Messages of a chat in their order. */
  messages(chatId) {
    return [...(this.chats.get(String(chatId))?.messages.values() ?? [])];
  }

  message(chatId, messageId) {
    return this.chats.get(String(chatId))?.messages.get(messageId);
  }

  /** Apply one event. Returns the message if it is new, for unread counts. */
  apply(event) {
    switch (event.type) {
      case "message": return this.#put(event);
      case "edit": this.#put(event); return null;
      case "delete": this.#chat(event.chat_id).messages.delete(event.message_id); return null;
      case "reaction": this.#react(event); return null;
      case "journal": this.journal.push(event.line); return null;
      case "submission": this.submissions.set(event.submission.number, event.submission); return null;
      case "inbox": this.inbox.set(event.item.number, event.item); return null;
      default: return null;
    }
  }

  #since({ chats, lines, items }) {
    const messages = [];
    for (const [id, chat] of this.chats) {
      for (const message of chat.messages.values()) {
        if (!chats.get(id)?.messages.has(message.message_id)) messages.push([id, message]);
      }
    }
    return { messages, lines: Math.max(0, this.journal.length - lines), items: Math.max(0, this.inbox.size - items) };
  }

  #chat(chatId) {
    const key = String(chatId);
    if (!this.chats.has(key)) this.chats.set(key, { messages: new Map() });
    return this.chats.get(key);
  }

  #put({ chat_id: chatId, message }) {
    const { messages } = this.#chat(chatId);
    const isNew = !messages.has(message.message_id);
    messages.set(message.message_id, message);
    return isNew ? message : null;
  }

  #react({ chat_id: chatId, message_id: messageId, reactions }) {
    const message = this.message(chatId, messageId);
    if (message) this.#chat(chatId).messages.set(messageId, { ...message, reactions });
  }
}

function byNumber(items) {
  return new Map((items ?? []).map((item) => [item.number, item]));
}

function readChat(chat) {
  const ordered = [...(chat.messages ?? [])].sort((a, b) => a.message_id - b.message_id);
  return { ...chat, messages: new Map(ordered.map((message) => [message.message_id, message])) };
}
