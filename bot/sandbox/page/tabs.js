/** The sections: all but one of a kind side by side where there is room, one at a time behind tabs where there is none. */

const narrow = matchMedia("(max-width: 759px)");
const wide = matchMedia("(min-width: 1101px)");

/** Where there is room, these share the first column; the inbox has one of its own if there is room for three. */
const SIDES = ["lead", "website", "inbox"];

export class Tabs {
  #buttons;
  #onShow;
  #active = "lead";
  #side = "lead";

  /** `lists`: the tabs of narrow windows, and those of the first column; `onShow(tab)` hears what has come into view. */
  constructor(lists, onShow) {
    this.#onShow = onShow;
    this.#buttons = lists.flatMap((list) => [...list.querySelectorAll("[role=tab]")]);
    for (const button of this.#buttons) button.addEventListener("click", () => this.show(button.dataset.tab));
    for (const list of lists) list.addEventListener("keydown", (event) => this.#move(event, list));
    for (const width of [narrow, wide]) width.addEventListener("change", () => this.#changed());
    this.#select();
  }

  show(tab) {
    this.#active = tab;
    if (SIDES.includes(tab)) this.#side = tab;
    this.#changed();
  }

  isVisible(tab) {
    if (narrow.matches) return tab === this.#active;
    return !SIDES.includes(tab) || tab === this.#shownSide || (tab === "inbox" && wide.matches);
  }

  /** The number in the badges of a tab. */
  setCount(tab, count) {
    for (const button of this.#of(tab)) button.querySelector(".badge").textContent = count || "";
  }

  /** More in the badges of a tab that is out of view. */
  count(tab, more = 1) {
    if (this.isVisible(tab)) return;
    this.setCount(tab, Number(this.#of(tab)[0].querySelector(".badge").textContent) + more);
  }

  get #shownSide() {
    return wide.matches && this.#side === "inbox" ? "lead" : this.#side;
  }

  #of(tab) {
    return this.#buttons.filter((button) => button.dataset.tab === tab);
  }

  #select() {
    document.body.dataset.tab = this.#active;
    document.body.dataset.side = this.#shownSide;
    for (const button of this.#buttons) {
      const selected = button.dataset.tab === (narrow.matches ? this.#active : this.#shownSide);
      button.setAttribute("aria-selected", String(selected));
      button.tabIndex = selected ? 0 : -1;
    }
  }

  #changed() {
    this.#select();
    for (const tab of new Set(this.#buttons.map((button) => button.dataset.tab))) {
      if (!this.isVisible(tab)) continue;
      this.setCount(tab, 0);
      this.#onShow(tab);
    }
  }

  #move(event, list) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const shown = [...list.querySelectorAll("[role=tab]")].filter((button) => button.offsetParent);
    const index = shown.indexOf(event.target.closest("[role=tab]"));
    const next = shown.at((index + step) % shown.length);
    this.show(next.dataset.tab);
    next.focus();
  }
}
