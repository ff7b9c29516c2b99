/** One message as a bubble, the way Telegram draws it. */
import { avatar, el, fullName, icon } from "./dom.js";
import { isSafeLink, link, richText } from "./markup.js";
import { clock, moment, t } from "./texts.js";
import { copyText } from "./toasts.js";

const WAVE = [5, 9, 14, 8, 12, 18, 10, 6, 13, 20, 15, 9, 12, 17, 8, 5, 11, 16, 7, 10, 14, 6, 4, 8];
const STYLES = ["success", "danger", "primary"];

/**
 * The element of a message. `view`: {mine, group, first, last} say whose it is, whether names are shown and where it
 * stands in a row of one author; `actions`: {press(message, button, element), reply(message), jump(messageId)}.
 */
export function bubble(message, view, actions) {
  const service = serviceText(message);
  if (service) {
    return el("div", { class: "message service", "data-message-id": message.message_id }, el("span", { dir: "auto" }, service));
  }
  const author = message.from ?? message.sender_chat ?? { id: 0, first_name: "?" };
  const classes = ["message", view.mine ? "out" : "in", view.first && "first", view.last && "last"];
  const showAuthor = view.group && !view.mine;
  return el(
    "article",
    { class: classes.filter(Boolean).join(" "), "data-message-id": message.message_id, tabindex: "-1" },
    showAuthor && el("div", { class: "gutter" }, view.last && authorAvatar(author)),
    el(
      "div",
      { class: "column" },
      el(
        "div",
        { class: "row" },
        el(
          "div",
          { class: "bubble" },
          showAuthor && view.first && el("div", { class: `author tone-${Math.abs(author.id) % 7}`, dir: "auto" }, fullName(author)),
          message.topic && el("div", { class: "topic", dir: "auto" }, message.topic),
          replyQuote(message, actions),
          ...attachments(message),
          text(message),
          footer(message, view),
        ),
        replyButton(message, actions),
      ),
      keyboard(message, actions),
    ),
  );
}

function authorAvatar(author) {
  if (!author.is_bot) return avatar(author.id, fullName(author));
  return el("span", { class: "avatar bot", "aria-hidden": "true" }, icon("spark"));
}

/** The words of a message in one line, for reply quotes. */
export function preview(message) {
  return message.text ?? message.caption ?? attachmentName(message) ?? t("unsupported");
}

function attachmentName(message) {
  if (message.document) return message.document.file_name ?? t("document");
  const kind = ["photo", "voice", "video", "audio", "sticker", "contact", "location"].find((key) => message[key]);
  return kind ? t(kind) : null;
}

function serviceText(message) {
  const who = fullName(message.from ?? {});
  if (message.new_chat_members) return t("joined", message.new_chat_members.map(fullName).join(", "));
  if (message.left_chat_member) return t("left", fullName(message.left_chat_member));
  if (message.pinned_message) return t("pinned", who);
  if (message.migrate_to_chat_id || message.migrate_from_chat_id) return t("upgraded");
  if (message.forum_topic_created) return message.forum_topic_created.name;
  const topicChanged = ["edited", "closed", "reopened"].some((change) => message[`forum_topic_${change}`]);
  if (topicChanged || message.new_chat_title) return t("service");
  return null;
}

function replyQuote(message, actions) {
  const original = message.reply_to_message;
  // In a topic every message replies to the one that opened it, if to nothing else.
  if (!original || original.forum_topic_created) return null;
  const author = original.from ?? {};
  return el(
    "button",
    { type: "button", class: `reply-quote tone-${Math.abs(author.id ?? 0) % 7}`, onclick: () => actions.jump(original.message_id) },
    el("span", { class: "reply-author", dir: "auto" }, fullName(author)),
    el("span", { class: "reply-text", dir: "auto" }, message.quote?.text ?? preview(original)),
  );
}

function text(message) {
  const plain = message.text ?? message.caption;
  if (!message.html && !plain) return null;
  return el("div", { class: "text", dir: "auto" }, message.html ? richText(message.html) : plain);
}

function footer(message, view) {
  const reactions = (message.reactions ?? []).map((emoji) => el("span", { class: "reaction" }, emoji));
  return el(
    "div",
    { class: "footer" },
    reactions.length > 0 && el("span", { class: "reactions" }, ...reactions),
    el(
      "span",
      { class: "meta" },
      message.silent && el("span", { class: "silent", title: t("silent"), role: "img", "aria-label": t("silent") }, icon("silent")),
      message.edit_date && el("span", { class: "edited" }, t("edited")),
      el("time", { datetime: new Date(message.date * 1000).toISOString(), title: moment(message.date) }, clock(message.date)),
      view.mine && ticks(),
    ),
  );
}

/** Two ticks; the second shows once the bot has answered or reacted (class "read" on the message). */
function ticks() {
  return el("span", { class: "ticks", role: "img", "aria-label": t("sent") }, icon("tick"), icon("tick"));
}

function replyButton(message, actions) {
  return el(
    "button",
    { type: "button", class: "reply-button", "aria-label": t("reply"), title: t("reply"), onclick: () => actions.reply(message) },
    icon("reply"),
  );
}

function* attachments(message) {
  if (message.photo) yield el("div", { class: "photo", role: "img", "aria-label": t("photo") }, icon("photo"));
  if (message.voice) yield voice(message.voice);
  if (message.document) yield document_(message.document);
  if (message.contact) yield contact(message.contact);
  for (const kind of ["video", "audio", "sticker", "location"]) {
    if (message[kind]) yield el("div", { class: "other" }, message[kind].emoji ?? t(kind));
  }
  const known = attachmentName(message) || message.text || message.caption || message.html;
  if (!known) yield el("div", { class: "other" }, t("unsupported"));
}

function voice({ duration = 0 }) {
  const seconds = `${Math.floor(duration / 60)}:${String(duration % 60).padStart(2, "0")}`;
  const bars = WAVE.map((height) => {
    const bar = el("i");
    bar.style.height = `${height}px`;
    return bar;
  });
  return el(
    "div",
    { class: "attachment voice", role: "img", "aria-label": `${t("voice")}, ${seconds}` },
    el("span", { class: "disc" }, icon("play")),
    el("span", { class: "wave" }, ...bars),
    el("span", { class: "size" }, seconds),
  );
}

function document_({ file_name: name, file_size: size, url }) {
  const title = el("span", { class: "file-name", dir: "auto" }, name ?? t("document"));
  const details = el("span", { class: "file" }, title, size !== undefined && el("span", { class: "size" }, fileSize(size)));
  const disc = el("span", { class: "disc" }, icon("file"));
  if (!url) return el("div", { class: "attachment" }, disc, details);
  return el("a", { class: "attachment", href: url, download: name ?? true, title: t("download") }, disc, details);
}

function fileSize(bytes) {
  return bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KB`;
}

function contact({ first_name: first, last_name: last, phone_number: phone, user_id: id }) {
  const name = [first, last].filter(Boolean).join(" ");
  return el(
    "div",
    { class: "attachment" },
    avatar(id ?? 0, name || phone),
    el("span", { class: "file" }, el("span", { class: "file-name", dir: "auto" }, name), el("span", { class: "size", dir: "ltr" }, phone)),
  );
}

function keyboard(message, actions) {
  const rows = message.reply_markup?.inline_keyboard ?? [];
  if (rows.length === 0) return null;
  return el(
    "div",
    { class: "keyboard" },
    ...rows.map((row) => el("div", { class: "keys" }, ...row.map((button) => key(message, button, actions)))),
  );
}

function key(message, button, actions) {
  const style = STYLES.includes(button.style) ? ` ${button.style}` : "";
  const label = el("span", { class: "key-label", dir: "auto" }, button.text);
  if (button.url && isSafeLink(button.url)) {
    return link(button.url, label, { class: `key${style}`, title: button.url }).appendChild(icon("external")).parentElement;
  }
  const node = el("button", { type: "button", class: `key${style}` }, label);
  if (button.copy_text) {
    node.append(icon("copy"));
    node.addEventListener("click", () => copyText(button.copy_text.text));
  } else if (button.callback_data) {
    node.addEventListener("click", () => actions.press(message, button, node));
  } else {
    node.disabled = true;
  }
  return node;
}
