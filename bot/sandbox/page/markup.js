/**
 * Telegram's formatting as DOM. The server sanitises `html`; this rebuilds it from a list of allowed tags all the
 * same, because names, words and journal inputs are written by strangers.
 */
import { el, icon } from "./dom.js";
import { t } from "./texts.js";
import { copyText } from "./toasts.js";

const INLINE = {
  B: "strong", STRONG: "strong", I: "em", EM: "em", U: "u", INS: "u", S: "s", STRIKE: "s", DEL: "s", BR: "br",
};
const SAFE_LINK = /^(https?|mailto|tel|tg):/i;

/** The nodes for a message's `html`. */
export function richText(html) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  return copyChildren(parsed.body);
}

function copyChildren(source) {
  const fragment = document.createDocumentFragment();
  for (const child of source.childNodes) fragment.append(copyNode(child));
  trimAroundBlocks(fragment);
  return fragment;
}

/** Telegram keeps the line breaks around quotes and code, which begin a line of their own here anyway. */
function trimAroundBlocks(fragment) {
  for (const block of [...fragment.children].filter((node) => node.matches("blockquote, .code-block"))) {
    const { previousSibling: before, nextSibling: after } = block;
    if (before?.nodeType === Node.TEXT_NODE) before.data = before.data.replace(/\n$/u, "");
    if (after?.nodeType === Node.TEXT_NODE) after.data = after.data.replace(/^\n/u, "");
  }
}

function copyNode(node) {
  if (node.nodeType === Node.TEXT_NODE) return document.createTextNode(node.data);
  if (node.nodeType !== Node.ELEMENT_NODE || node.tagName === "SCRIPT" || node.tagName === "STYLE") {
    return document.createDocumentFragment();
  }
  const content = copyChildren(node);
  if (node.tagName in INLINE) return el(INLINE[node.tagName], {}, content);
  switch (node.tagName) {
    case "A": return link(node.getAttribute("href") ?? "", content);
    case "CODE": return inlineCode(content);
    case "PRE": return codeBlock(node);
    case "BLOCKQUOTE": return quote(node.hasAttribute("expandable"), content);
    case "TG-SPOILER": return spoiler(content);
    case "SPAN": return node.classList.contains("tg-spoiler") ? spoiler(content) : content;
    default: return content;
  }
}

/** A link that opens apart from this page, or its bare text where the address is of another kind. */
export function link(href, content, props = {}) {
  if (!isSafeLink(href)) return el("span", {}, content);
  return el("a", { href, target: "_blank", rel: "noopener noreferrer", ...props }, content);
}

export function isSafeLink(href) {
  return SAFE_LINK.test(href.trim());
}

function inlineCode(content) {
  const code = el("code", { title: t("copy") }, content);
  code.addEventListener("click", () => copyText(code.textContent));
  return code;
}

function codeBlock(node) {
  const copy = el("button", { type: "button", class: "copy-code", "aria-label": t("copy"), title: t("copy") }, icon("copy"));
  copy.addEventListener("click", () => copyText(node.textContent));
  return el("div", { class: "code-block" }, el("pre", { tabindex: "0" }, el("code", {}, node.textContent)), copy);
}

const quoteSizes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (!target.parentElement.classList.contains("expanded")) {
      target.parentElement.classList.toggle("long", target.scrollHeight > target.clientHeight + 2);
    }
  }
});

function quote(expandable, content) {
  const body = el("div", { class: "quote-body" }, content);
  const block = el("blockquote", { dir: "auto" }, body);
  if (!expandable) return block;
  block.classList.add("expandable");
  const toggle = el("button", { type: "button", class: "quote-toggle", "aria-expanded": "false" }, icon("chevron"));
  toggle.setAttribute("aria-label", t("expand"));
  block.append(toggle);
  block.addEventListener("click", (event) => {
    if (event.target.closest("a, code, [role=button]") || !getSelection().isCollapsed) return;
    setExpanded(block, !block.classList.contains("expanded"));
  });
  quoteSizes.observe(body);
  return block;
}

/** Open or close an expandable quote. */
export function setExpanded(block, expanded) {
  block.classList.toggle("expanded", expanded);
  if (expanded) block.classList.add("long");
  const toggle = block.querySelector(".quote-toggle");
  toggle.setAttribute("aria-expanded", String(expanded));
  toggle.setAttribute("aria-label", t(expanded ? "collapseQuote" : "expand"));
}

function spoiler(content) {
  const node = el("span", { class: "spoiler", role: "button", tabindex: "0", "aria-expanded": "false", title: t("spoiler") }, content);
  const reveal = () => {
    node.classList.add("revealed");
    node.setAttribute("aria-expanded", "true");
    node.removeAttribute("title");
  };
  node.addEventListener("click", reveal);
  node.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); reveal(); }
  });
  return node;
}
