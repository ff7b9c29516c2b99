/** The form on a website: what its visitor sent, and what the bot said to each post of it. */
import { el, icon } from "./dom.js";
import { Feed } from "./feed.js";
import { clock, moment, t } from "./texts.js";

const ANSWERS = ["name", "phone", "email", "message"];

export class WebsitePane {
  #feed;
  #form;

  /** `onSubmit(answers)` and `onRepeat(number)` post; a form that was not taken stays filled in. */
  constructor(root, { onSubmit, onRepeat }) {
    this.#feed = new Feed(root, (submission) => drawn(submission, onRepeat));
    this.#form = root.querySelector(".form");
    this.#form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const answers = Object.fromEntries(new FormData(this.#form));
      if (!Object.values(answers).some((text) => text.trim())) return;
      this.#feed.toBottom();
      if (await onSubmit(answers)) this.#form.reset();
    });
  }

  /** Put an example into the form for the visitor to send. */
  fill(answers) {
    for (const name of ANSWERS) this.#form.elements[name].value = answers[name] ?? "";
    this.#form.elements.message.focus();
  }

  show(submissions) {
    this.#feed.show(submissions);
  }

  put(submission) {
    this.#feed.put(submission);
  }
}

function drawn({ number, answers, posts }, onRepeat) {
  const given = ANSWERS.filter((name) => answers[name]);
  const again = el(
    "button",
    { type: "button", class: "again", title: t("postAgain"), onclick: () => onRepeat(number) },
    icon("again"),
    t("again"),
  );
  return el(
    "article",
    { class: "message out first last", "data-testid": "submission" },
    el(
      "div",
      { class: "column" },
      el(
        "div",
        { class: "bubble" },
        el("dl", { class: "answers" }, ...given.flatMap((name) => [el("dt", {}, t(`field_${name}`)), el("dd", { dir: "auto" }, answers[name])])),
        el("div", { class: "posts" }, ...posts.map(answer)),
      ),
      el("div", { class: "under" }, again),
    ),
  );
}

function answer({ at, status, text }) {
  return el(
    "div",
    { class: "post" },
    el("span", { class: `outcome ${status === 200 ? "good" : "bad"}` }, status === null ? t("noAnswer") : String(status)),
    el("span", { class: "post-text", dir: "auto" }, text),
    el("time", { class: "meta", datetime: new Date(at * 1000).toISOString(), title: moment(at) }, clock(at)),
  );
}
