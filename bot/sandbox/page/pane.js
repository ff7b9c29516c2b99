/** A chat: its messages, kept in step with the store, and the composer under them. */
import { bubble, preview } from "./bubbles.js";
import { el, fullName } from "./dom.js";
import { setExpanded } from "./markup.js";
import { Follower } from "./scroll.js";
import { dayName, language, t } from "./texts.js";

const SAME_ROW_SECONDS = 300;
const FLASH_MS = 1600;

export class ChatPane {
  replyTo = null;
  #root;
  #options;
  #entries = new Map();
  #shownChat = null;
  #unseen = 0;
  #follower;

  /**
   * `options`: {store, group: whether authors are named, chatId(), authorId(): whose bubbles stand on the right,
   * onSend(text, replyTo), onPress(message, button, element)}.
   */
  constructor(root, options) {
    this.#root = root;
    this.#options = options;
    this.list = root.querySelector(".messages");
    this.form = root.querySelector(".composer");
    this.input = root.querySelector("textarea");
    this.#follower = new Follower(root.querySelector(".scroll"), () => this.#showJump());
    this.#listen();
  }

  /** Draw what the store holds, touching only what changed. */
  render() {
    const chatId = this.#options.chatId();
    if (chatId !== this.#shownChat) this.#switchTo(chatId);
    const messages = this.#options.store.messages(chatId);
    this.#follower.keep(() => this.#reconcile(messages));
    this.#markRead(messages);
    this.#root.querySelector(".empty").hidden = messages.length > 0 || !this.#options.store.loaded;
  }

  /** Take note of a message that has just come into the shown chat. */
  arrived(message) {
    if (message.from?.id === this.#options.authorId()) this.#follower.toBottom();
    else if (!this.#follower.following) this.#unseen += 1;
    this.#showJump();
    const asked = message.reply_markup;
    if (asked?.force_reply) this.startReply(message, asked.input_field_placeholder);
  }

  /** Put words into the composer for the person to send. */
  fill(text) {
    this.input.value = text;
    this.#grow();
    this.input.focus();
  }

  startReply(message, placeholder = null) {
    this.replyTo = message;
    this.#root.querySelector(".reply-bar-author").textContent = t("replyTo", fullName(message.from ?? {}));
    this.#root.querySelector(".reply-bar-text").textContent = preview(message);
    this.#root.querySelector(".reply-bar").hidden = false;
    if (placeholder) this.input.placeholder = placeholder;
    this.input.focus();
  }

  stopReply() {
    this.replyTo = null;
    this.#root.querySelector(".reply-bar").hidden = true;
    this.input.placeholder = t(this.input.dataset.tPlaceholder);
  }

  #listen() {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#send();
    });
    this.input.addEventListener("input", () => this.#grow());
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        this.#send();
      } else if (event.key === "Escape" && this.replyTo) this.stopReply();
    });
    this.#root.querySelector(".reply-bar button").addEventListener("click", () => this.stopReply());
    this.#root.querySelector(".jump").addEventListener("click", () => this.#follower.toBottom());
  }

  async #send() {
    const text = this.input.value.trim();
    if (!text || this.form.hidden) return;
    const replyTo = this.replyTo;
    this.input.value = "";
    this.#grow();
    this.stopReply();
    if (!(await this.#options.onSend(text, replyTo?.message_id ?? null)) && !this.input.value) this.fill(text);
  }

  #grow() {
    this.input.style.height = "auto";
    this.input.style.height = `${this.input.scrollHeight}px`;
    this.form.classList.toggle("filled", this.input.value.trim() !== "");
  }

  #switchTo(chatId) {
    this.#shownChat = chatId;
    this.#entries.clear();
    this.list.replaceChildren();
    this.#follower.following = true;
    this.stopReply();
    this.#showJump();
  }

  #showJump() {
    if (this.#follower.following) this.#unseen = 0;
    this.#root.querySelector(".jump").hidden = this.#follower.following;
    this.#root.querySelector(".jump .badge").textContent = this.#unseen || "";
  }

  #reconcile(messages) {
    const wasEmpty = this.#entries.size === 0;
    const wanted = this.#plan(messages);
    const keys = new Set(wanted.map(({ key }) => key));
    for (const [key, { node }] of this.#entries) {
      if (keys.has(key)) continue;
      node.remove();
      this.#entries.delete(key);
    }
    let previous = null;
    for (const entry of wanted) {
      const node = this.#place(entry, wasEmpty);
      const next = previous ? previous.nextSibling : this.list.firstChild;
      if (next !== node) this.list.insertBefore(node, next);
      previous = node;
    }
  }

  /** The day headings and messages to show, each with what it is drawn from. */
  #plan(messages) {
    const plan = [];
    let day = null;
    messages.forEach((message, index) => {
      const name = dayName(message.date);
      if (name !== day) plan.push({ key: `day ${name}`, version: name, draw: () => el("div", { class: "day" }, el("span", {}, name)) });
      day = name;
      const view = {
        mine: message.from?.id === this.#options.authorId(),
        group: this.#options.group,
        first: !inOneRow(messages[index - 1], message),
        last: !inOneRow(message, messages[index + 1]),
      };
      const version = JSON.stringify([language, view, message]);
      plan.push({ key: `message ${message.message_id}`, version, draw: () => bubble(message, view, this.#actions()) });
    });
    return plan;
  }

  #place({ key, version, draw }, quietly) {
    const known = this.#entries.get(key);
    if (known?.version === version) return known.node;
    const node = draw();
    if (known) {
      carryOver(known.node, node);
      known.node.replaceWith(node);
    } else if (!quietly) node.classList.add("fresh");
    this.#entries.set(key, { version, node });
    return node;
  }

  #actions() {
    return {
      press: this.#options.onPress,
      reply: (message) => this.startReply(message),
      jump: (messageId) => this.#jumpTo(messageId),
    };
  }

  #jumpTo(messageId) {
    const node = this.list.querySelector(`[data-message-id="${Number(messageId)}"]`);
    if (!node) return;
    node.scrollIntoView({ block: "center", behavior: "smooth" });
    node.classList.add("flash");
    setTimeout(() => node.classList.remove("flash"), FLASH_MS);
  }

  #markRead(messages) {
    const botId = this.#options.store.me.id;
    const lastOfBot = messages.findLast((message) => message.from?.id === botId)?.message_id ?? 0;
    for (const message of messages) {
      const read = message.message_id < lastOfBot || message.reactions?.length > 0;
      const ticks = this.#entries.get(`message ${message.message_id}`).node.querySelector(".ticks");
      ticks?.classList.toggle("read", read);
      ticks?.setAttribute("aria-label", t(read ? "read" : "sent"));
    }
  }
}

function inOneRow(above, below) {
  return Boolean(
    above && below && above.from?.id === below.from?.id && below.date - above.date < SAME_ROW_SECONDS &&
    dayName(above.date) === dayName(below.date),
  );
}

/** An edited message keeps what its reader opened, and the focus. */
function carryOver(before, after) {
  for (const [index, quote] of before.querySelectorAll("blockquote.expandable").entries()) {
    const twin = after.querySelectorAll("blockquote.expandable")[index];
    if (twin && quote.classList.contains("expanded")) setExpanded(twin, true);
  }
  for (const [index, spoiler] of before.querySelectorAll(".spoiler").entries()) {
    if (spoiler.classList.contains("revealed")) after.querySelectorAll(".spoiler")[index]?.click();
  }
  if (before.contains(document.activeElement)) queueMicrotask(() => after.focus({ preventScroll: true }));
}
