/** What left the bot besides Telegram: letters as their readers see them, events as programs get them. */
import { el, icon } from "./dom.js";
import { Feed } from "./feed.js";
import { clock, moment, t } from "./texts.js";

export class InboxPane {
  #feed;
  #status;
  #items = [];

  constructor(root) {
    this.#feed = new Feed(root, (item) => (item.kind === "letter" ? letter(item) : event(item)));
    this.#status = root.querySelector(".who p");
  }

  show(items) {
    this.#items = items;
    this.#feed.show(items);
    this.#count();
  }

  put(item, items) {
    this.#items = items;
    this.#feed.put(item);
    this.#count();
  }

  #count() {
    const letters = this.#items.filter(({ kind }) => kind === "letter").length;
    this.#status.textContent = `${t("letters", letters)} · ${t("events", this.#items.length - letters)}`;
  }
}

function letter({ at, from, to, subject, text }) {
  return el(
    "article",
    { class: "message in first last", "data-testid": "letter" },
    el("div", { class: "gutter" }, el("span", { class: "avatar letter", "aria-hidden": "true" }, icon("letter"))),
    el(
      "div",
      { class: "column" },
      el(
        "div",
        { class: "bubble" },
        el("div", { class: "ends" }, el("span", { dir: "auto" }, from), el("span", { dir: "auto" }, `→ ${to}`)),
        el("div", { class: "subject", dir: "auto" }, subject),
        el("div", { class: "text", dir: "auto" }, text),
        el("div", { class: "footer" }, el("span", { class: "meta" }, time(at))),
      ),
    ),
  );
}

function event({ at, type, key, data }) {
  const lead = data?.lead ?? {};
  const whose = [lead.id, lead.name].filter(Boolean).join(" · ");
  const body = JSON.stringify({ "webhook-id": key, type, data }, null, 2);
  return el(
    "article",
    { class: "message in event", "data-testid": "event" },
    el(
      "details",
      { class: "bubble" },
      el(
        "summary",
        {},
        el("span", { class: "event-type" }, type),
        el("span", { class: "event-lead", dir: "auto" }, whose),
        el("span", { class: "meta" }, el("span", { class: "signed", role: "img", title: t("signed"), "aria-label": t("signed") }, icon("tick")), time(at)),
      ),
      el("pre", { dir: "ltr" }, body),
    ),
  );
}

function time(at) {
  return el("time", { datetime: new Date(at * 1000).toISOString(), title: moment(at) }, clock(at));
}
