/** Scrolling that follows new content only while the reader is at the bottom. */

const NEAR_PX = 48;

export class Follower {
  following = true;
  #scroller;
  #onChange;
  #height = 0;

  /** `onChange(following)` hears when the reader leaves the bottom or comes back. */
  constructor(scroller, onChange = () => {}) {
    this.#scroller = scroller;
    this.#onChange = onChange;
    scroller.addEventListener("scroll", () => this.#look(), { passive: true });
    // A pane that was hidden or resized comes back to where its reader was: at the bottom, if he followed.
    new ResizeObserver(() => {
      this.#height = scroller.clientHeight;
      if (this.following) this.toBottom();
    }).observe(scroller);
  }

  /** Run `change` on the content and stay at the bottom if the reader was there. */
  keep(change) {
    change();
    if (this.following) this.toBottom();
  }

  toBottom() {
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#set(true);
  }

  #look() {
    const { scrollHeight, scrollTop, clientHeight } = this.#scroller;
    // What moves when the pane changes its size is not the reader.
    if (clientHeight === this.#height) this.#set(scrollHeight - scrollTop - clientHeight < NEAR_PX);
  }

  #set(following) {
    if (following === this.following) return;
    this.following = following;
    this.#onChange(following);
  }
}
