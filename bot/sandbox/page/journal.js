/** The agent's journal as a table that grows. */
import { el } from "./dom.js";
import { Follower } from "./scroll.js";
import { clock, moment, number, t } from "./texts.js";

const COLUMNS = ["time", "run", "step", "kind", "name", "outcome", "ms", "tokens", "input"];
const GOOD = new Set(["ok", "end_turn", "approved", "executed", "sent", "done", "delivered"]);
const BAD = new Set([
  "invalid", "rejected", "error", "unknown_tool", "denied", "failed", "refusal", "expired", "max_tokens", "budget",
  "max_steps", "stopped", "write_tool_unavailable",
]);
const WAITING = new Set(["pending", "awaiting_confirmation", "uncertain", "executing", "proposed", "superseded"]);

export class JournalTable {
  #scroller = document.getElementById("journal-scroll");
  #head = document.getElementById("journal-head");
  #body = document.getElementById("journal-body");
  #count = document.getElementById("journal-count");
  #empty = document.getElementById("journal-empty");
  #lines = [];
  #follower = new Follower(this.#scroller);

  /** Show these lines anew (after a reload or a change of language). */
  show(lines) {
    this.#follower.keep(() => {
      this.#lines = [...lines];
      this.#head.replaceChildren(...COLUMNS.map((name) => el("th", { scope: "col", class: `c-${name}` }, t(name))));
      this.#body.replaceChildren(...this.#lines.map(row));
      this.#changed();
    });
  }

  /** Add a line at the end. */
  add(line) {
    this.#follower.keep(() => {
      this.#lines.push(line);
      const node = row(line);
      node.classList.add("fresh");
      this.#body.append(node);
      this.#changed();
    });
  }

  #changed() {
    this.#count.textContent = this.#lines.length > 0 ? t("steps", this.#lines.length) : "";
    this.#empty.hidden = this.#lines.length > 0;
    this.#scroller.hidden = this.#lines.length === 0;
  }
}

function row(line) {
  const cells = {
    time: time(line.at),
    run: line.run_id ?? line.run ?? null,
    step: line.step ?? null,
    kind: el("span", { class: `kind kind-${line.kind === "model" || line.kind === "tool" ? line.kind : "other"}` }, String(line.kind ?? "")),
    name: line.name ?? null,
    outcome: line.outcome === undefined ? null : el("span", { class: `outcome ${tone(line.outcome)}` }, String(line.outcome)),
    ms: amount(line.ms),
    tokens: amount(line.tokens),
    input: input(line.input),
  };
  return el(
    "tr",
    {},
    ...COLUMNS.map((name) => {
      const value = cells[name] ?? "";
      return el("td", { class: `c-${name}`, "data-label": t(name).toLowerCase(), dir: "auto" }, value instanceof Node ? value : String(value));
    }),
  );
}

/** `at` may be Unix seconds or an ISO date. */
function time(at) {
  if (at === undefined || at === null) return null;
  const seconds = typeof at === "number" ? at : Date.parse(at) / 1000;
  if (Number.isNaN(seconds)) return String(at);
  return el("time", { datetime: new Date(seconds * 1000).toISOString(), title: moment(seconds) }, clock(seconds));
}

function amount(value) {
  return typeof value === "number" ? number(value) : null;
}

function tone(outcome) {
  const word = String(outcome);
  if (GOOD.has(word)) return "good";
  if (BAD.has(word)) return "bad";
  return WAITING.has(word) ? "waiting" : "plain";
}

function input(value) {
  if (value === undefined || value === null) return null;
  const words = typeof value === "string" ? value : JSON.stringify(value);
  if (words === "{}") return null;
  const details = el("details", {}, el("summary", {}, el("code", {}, words)));
  details.append(el("pre", {}, typeof value === "string" ? value : JSON.stringify(value, null, 2)));
  return details;
}
