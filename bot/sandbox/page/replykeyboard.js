/** The keyboard that a bot puts under a person's composer. */
import { el, icon } from "./dom.js";

/** Show the keyboard that the bot's messages leave in force. `actions`: {text(words), contact()}. */
export function showReplyKeyboard(root, messages, actions) {
  const last = messages.findLast(({ reply_markup: markup }) => markup?.keyboard || markup?.remove_keyboard);
  const used = last?.reply_markup.one_time_keyboard && messages.at(-1) !== last;
  const rows = used ? [] : (last?.reply_markup.keyboard ?? []);
  root.hidden = rows.length === 0;
  root.replaceChildren(...rows.map((row) => el("div", { class: "keys" }, ...row.map((button) => key(button, actions)))));
}

function key(button, actions) {
  const text = typeof button === "string" ? button : button.text;
  const asksContact = Boolean(button.request_contact);
  const press = asksContact ? actions.contact : () => actions.text(text);
  return el("button", { type: "button", class: "key", onclick: press }, asksContact && icon("contact"), el("span", { dir: "auto" }, text));
}
