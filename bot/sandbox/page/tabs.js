/** The sections: side by side on a wide screen, one at a time behind tabs on a narrow one. */

const narrow = matchMedia("(max-width: 759px)");

export class Tabs {
  #buttons;
  #onShow;
  #active = "lead";

  /** `onShow(tab)` hears which sections have come into view. */
  constructor(root, onShow) {
    this.#onShow = onShow;
    this.#buttons = [...root.querySelectorAll("[role=tab]")];
    for (const button of this.#buttons) button.addEventListener("click", () => this.show(button.dataset.tab));
    root.addEventListener("keydown", (event) => this.#move(event));
    narrow.addEventListener("change", () => this.#seen());
    this.#select();
  }

  show(tab) {
    this.#active = tab;
    this.#select();
    this.#seen();
  }

  isVisible(tab) {
    return !narrow.matches || tab === this.#active;
  }

  /** The number in the badge of a tab. */
  setCount(tab, count) {
    this.#button(tab).querySelector(".badge").textContent = count || "";
  }

  /** More in the badge of a tab that is out of view. */
  count(tab, more = 1) {
    if (this.isVisible(tab)) return;
    const badge = this.#button(tab).querySelector(".badge");
    this.setCount(tab, Number(badge.textContent) + more);
  }

  #button(tab) {
    return this.#buttons.find((button) => button.dataset.tab === tab);
  }

  #select() {
    document.body.dataset.tab = this.#active;
    for (const button of this.#buttons) {
      const selected = button.dataset.tab === this.#active;
      button.setAttribute("aria-selected", String(selected));
      button.tabIndex = selected ? 0 : -1;
    }
  }

  #seen() {
    for (const tab of this.#buttons.map((button) => button.dataset.tab)) {
      if (!this.isVisible(tab)) continue;
      this.setCount(tab, 0);
      this.#onShow(tab);
    }
  }

  #move(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const index = this.#buttons.indexOf(this.#button(this.#active));
    const next = this.#buttons.at((index + step) % this.#buttons.length);
    this.show(next.dataset.tab);
    next.focus();
  }
}
