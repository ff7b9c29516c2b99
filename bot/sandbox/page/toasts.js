/** Short notices over the chats, as Telegram shows the answers to presses. */
import { el } from "./dom.js";
import { t } from "./texts.js";

const SHOWN_MS = 4500;
const region = document.getElementById("toasts");
const alertDialog = document.getElementById("alert");
let timer;

/** Show a notice for a few seconds; the next one takes its place. */
export function showToast(text) {
  clearTimeout(timer);
  region.replaceChildren(el("div", { class: "toast", "data-testid": "toast", dir: "auto" }, text));
  timer = setTimeout(() => region.replaceChildren(), SHOWN_MS);
}

/** Show a notice that stays until it is confirmed (`show_alert`). */
export function showAlert(text) {
  clearTimeout(timer);
  region.replaceChildren();
  const words = el("p", { "data-testid": "toast", dir: "auto", id: "alert-text" }, text);
  const ok = el("button", { type: "submit", class: "primary", "data-testid": "toast-ok" }, t("ok"));
  alertDialog.replaceChildren(el("form", { method: "dialog" }, words, el("div", { class: "dialog-actions" }, ok)));
  if (!alertDialog.open) alertDialog.showModal();
}

alertDialog.addEventListener("close", () => alertDialog.replaceChildren());

/** Copy to the clipboard and say so. */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    showToast(t("copied"));
  } catch {
    showToast(t("copyFailed"));
  }
}
