/** Inline buttons that wait for the bot's answer, as Telegram shows them. */

const LONGEST_MS = 15_000;

export class Presses {
  #waiting = new Map();
  #early = new Set();

  /** Show a button as pressed. Returns false if it already waits. */
  begin(button) {
    if (button.getAttribute("aria-busy")) return false;
    button.setAttribute("aria-busy", "true");
    return true;
  }

  /** Show it as free again. */
  end(button) {
    button.removeAttribute("aria-busy");
  }

  /** The press was accepted under this id and waits for its answer. */
  accepted(id, button) {
    // The answer comes by the stream and may be here before the post returns.
    if (this.#early.delete(id)) {
      this.end(button);
      return;
    }
    this.#waiting.set(id, button);
    setTimeout(() => this.#waiting.has(id) && this.answered(id), LONGEST_MS);
  }

  /** The bot has answered this press, or takes too long. */
  answered(id) {
    const button = this.#waiting.get(id);
    if (button) {
      this.#waiting.delete(id);
      this.end(button);
    } else this.#early.add(id);
  }
}
