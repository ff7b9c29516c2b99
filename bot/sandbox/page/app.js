/** The sandbox page: you are the lead in Telegram or on a website, and the operators; letters, events and the journal run beside. */
import { askPerson, askPhone } from "./dialogs.js";
import { el } from "./dom.js";
import { EXAMPLES, FORMS } from "./examples.js";
import { InboxPane } from "./inbox.js";
import { JournalTable } from "./journal.js";
import { ChatPane } from "./pane.js";
import { People } from "./people.js";
import { Presses } from "./presses.js";
import { showReplyKeyboard } from "./replykeyboard.js";
import { Store } from "./store.js";
import { post, Refused, Stream } from "./stream.js";
import { Tabs } from "./tabs.js";
import { language, setLanguage, t, translatePage } from "./texts.js";
import { showAlert, showToast } from "./toasts.js";
import { WebsitePane } from "./website.js";

const TYPING_MS = 5000;
const COMMANDS = ["/pending", "/run ", "/journal ", "/help"];

const $ = (id) => document.getElementById(id);
const store = new Store();
const journal = new JournalTable();
const presses = new Presses();
const people = new People(store, { onLead: showLead, onOperator: () => operatorsPane.render() });
const unread = new Map();
let status = "connecting";
let typingTimer;

const leadPane = new ChatPane($("panel-lead"), {
  store,
  group: false,
  chatId: () => people.leadId,
  authorId: () => people.leadId,
  onSend: (text, replyTo) => say(people.lead, null, text, replyTo),
  onPress: (message, button, node) => press(people.lead, people.leadId, message, button, node),
});

const operatorsPane = new ChatPane($("panel-operators"), {
  store,
  group: true,
  chatId: () => store.groupId,
  authorId: () => people.operatorId,
  onSend: (text, replyTo) => say(people.operator, store.groupId, text, replyTo),
  onPress: (message, button, node) => press(people.operator, store.groupId, message, button, node),
});

const website = new WebsitePane($("panel-website"), {
  onSubmit: (answers) => tell("form", { answers }),
  onRepeat: (number) => tell("form", { number }),
});
const inbox = new InboxPane($("panel-inbox"));
const tabs = new Tabs([$("tabs"), $("sides")], (tab) => tab === "lead" && showUnread());

// What comes from the server

function hear(event) {
  if (event.type === "toast") answerPress(event);
  else if (event.type === "typing") showTyping(event.chat_id);
  else if (event.type === "journal") hearJournal(event);
  else if (event.type === "inbox") hearInbox(event);
  else if (event.type === "submission") hearSubmission(event);
  else if (isChat(event.chat_id, store.groupId)) hearGroup(event);
  else hearLead(event);
}

function hearJournal(event) {
  store.apply(event);
  journal.add(event.line);
  tabs.count("journal");
}

function hearInbox(event) {
  const known = store.inbox.has(event.item.number);
  store.apply(event);
  inbox.put(event.item, [...store.inbox.values()]);
  if (!known) tabs.count("inbox");
}

function hearSubmission(event) {
  store.apply(event);
  website.put(event.submission);
}

function hearGroup(event) {
  const added = store.apply(event);
  operatorsPane.render();
  if (added) noteGroup(added);
}

function noteGroup(message) {
  operatorsPane.arrived(message);
  tabs.count("operators");
}

function hearLead(event) {
  const added = store.apply(event);
  if (isChat(event.chat_id, people.leadId)) {
    leadPane.render();
    showKeyboardOfBot();
    hideTyping();
  }
  if (added) noteLead(event.chat_id, added);
}

function noteLead(chatId, message) {
  if (isChat(chatId, people.leadId)) leadPane.arrived(message);
  if (message.from?.id !== store.me.id) return;
  unread.set(String(chatId), (unread.get(String(chatId)) ?? 0) + 1);
  showUnread();
}

/** A state that was loaded anew may bring what no event told. */
function noteMissed({ messages, lines, items }) {
  for (const [chatId, message] of messages) {
    if (isChat(chatId, store.groupId)) noteGroup(message);
    else noteLead(chatId, message);
  }
  tabs.count("journal", lines);
  tabs.count("inbox", items);
}

function answerPress({ callback_query_id: id, text, alert }) {
  presses.answered(String(id));
  if (text && alert) showAlert(text);
  else if (text) showToast(text);
}

function showTyping(chatId) {
  if (!isChat(chatId, people.leadId)) return;
  clearTimeout(typingTimer);
  $("lead-status").textContent = t("typing");
  $("lead-status").classList.add("typing");
  typingTimer = setTimeout(hideTyping, TYPING_MS);
}

function hideTyping() {
  clearTimeout(typingTimer);
  $("lead-status").textContent = t("bot");
  $("lead-status").classList.remove("typing");
}

// What goes to the server

/** Post, and say so if that fails. Returns the answer, or null. */
async function tell(path, body) {
  try {
    return await post(path, body);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    showToast(t("failed", error.message || t("offline")));
    return null;
  }
}

/** Returns whether the message was taken. */
async function say(person, chatId, text, replyTo) {
  const answer = await tell("say", {
    user_id: person.id,
    name: person.name,
    chat_id: chatId,
    text,
    reply_to: replyTo,
    language_code: language,
  });
  return answer !== null;
}

async function press(person, chatId, message, button, node) {
  if (!presses.begin(node)) return;
  const answer = await tell("press", {
    user_id: person.id,
    name: person.name,
    chat_id: chatId,
    message_id: message.message_id,
    data: button.callback_data,
  });
  if (answer) presses.accepted(String(answer.callback_query_id), node);
  else presses.end(node);
}

async function shareContact() {
  const phone = await askPhone();
  if (phone) await tell("contact", { user_id: people.leadId, phone });
}

async function sendMedia(kind) {
  const caption = leadPane.input.value.trim();
  const answer = await tell("media", { user_id: people.leadId, kind, caption: caption || null });
  if (answer && caption) leadPane.fill("");
}

async function setBlocked(blocked) {
  if (await tell("block", { user_id: people.leadId, blocked })) await stream.reload();
}

async function addPerson() {
  const fields = await askPerson();
  const answer = fields && (await tell("people", { ...fields, operator: false }));
  if (!answer) return;
  people.leadId = answer.id;
  await stream.reload();
  leadPane.input.focus();
}

// What is seen

function isChat(chatId, id) {
  return String(chatId) === String(id);
}

function showEverything() {
  translatePage();
  people.show();
  $("bot-name").textContent = store.me.first_name ?? t("bot");
  $("operators-status").textContent = [...store.operators.map(({ name }) => name), store.me.first_name].join(", ");
  $("group-title").textContent = store.chats.get(String(store.groupId))?.title ?? t("tabOperators");
  showLead();
  operatorsPane.render();
  journal.show(store.journal);
  inbox.show([...store.inbox.values()]);
  website.show([...store.submissions.values()]);
  showStatus();
  showExamples();
}

function showLead() {
  leadPane.render();
  hideTyping();
  showKeyboardOfBot();
  showBlocked();
  showUnread();
}

function showBlocked() {
  const blocked = Boolean(people.lead?.blocked);
  $("blocked-bar").hidden = !blocked;
  leadPane.form.hidden = blocked;
  $("block").hidden = blocked;
}

/** The shown chat counts as read; the others and the tab show what waits in them. */
function showUnread() {
  if (tabs.isVisible("lead")) unread.delete(String(people.leadId));
  const current = unread.get(String(people.leadId)) ?? 0;
  const all = [...unread.values()].reduce((sum, count) => sum + count, 0);
  const elsewhere = all - current;
  $("lead-unread").textContent = elsewhere || "";
  $("lead-unread").title = elsewhere ? t("otherUnread", elsewhere) : "";
  tabs.setCount("lead", all);
}

function showKeyboardOfBot() {
  showReplyKeyboard($("reply-keyboard"), store.messages(people.leadId), {
    text: (words) => say(people.lead, null, words, null),
    contact: shareContact,
  });
}

function showStatus() {
  const { model } = store;
  const isClaude = Boolean(model?.toLowerCase().includes("claude"));
  $("banner").textContent = t(isClaude ? "bannerClaude" : "banner");
  $("model").hidden = !model;
  if (model) $("model").textContent = `${t(isClaude ? "modelClaude" : "modelStandIn")} · ${model}`;
  $("model").classList.toggle("claude", isClaude);
  $("connection").dataset.status = status;
  $("connection-word").textContent = t(status);
}

function showExamples() {
  $("examples").replaceChildren(
    ...EXAMPLES.map(({ label, text }) => chip(label[language], () => leadPane.fill(text))),
  );
  $("forms").replaceChildren(
    ...FORMS.map(({ label, answers }) => chip(label[language], () => website.fill(answers[language]))),
  );
  $("commands").replaceChildren(
    ...COMMANDS.map((command) => chip(command.trim(), () => operatorsPane.fill(command))),
  );
}

function chip(label, onclick) {
  return el("button", { type: "button", class: "chip", onclick }, label);
}

$("language").value = language;
$("language").addEventListener("change", () => {
  setLanguage($("language").value);
  showEverything();
});
$("share-contact").addEventListener("click", shareContact);
$("send-photo").addEventListener("click", () => sendMedia("photo"));
$("send-voice").addEventListener("click", () => sendMedia("voice"));
$("block").addEventListener("click", () => setBlocked(true));
$("unblock").addEventListener("click", () => setBlocked(false));
$("add-person").addEventListener("click", addPerson);
$("start").addEventListener("click", () => say(people.lead, null, "/start", null));
$("journal-toggle").addEventListener("click", () => {
  const collapsed = document.body.classList.toggle("journal-collapsed");
  $("journal-toggle").setAttribute("aria-expanded", String(!collapsed));
});

translatePage();
showStatus();
const stream = new Stream({
  onState(state) {
    const missed = store.load(state);
    showEverything();
    noteMissed(missed);
  },
  onEvent: hear,
  onStatus(next) {
    status = next;
    showStatus();
  },
});
