/** A list of things that came, newest at the bottom; a thing with a known number takes the place of what it was. */
import { Follower } from "./scroll.js";

export class Feed {
  #root;
  #draw;
  #list;
  #nodes = new Map();
  #follower;

  /** `draw(item)` makes the element of an item. */
  constructor(root, draw) {
    this.#root = root;
    this.#draw = draw;
    this.#list = root.querySelector(".messages");
    this.#follower = new Follower(root.querySelector(".scroll"), () => this.#showJump());
    root.querySelector(".jump").addEventListener("click", () => this.#follower.toBottom());
  }

  /** Draw all of them anew. */
  show(items) {
    this.#follower.keep(() => {
      this.#nodes = new Map(items.map((item) => [item.number, this.#draw(item)]));
      this.#list.replaceChildren(...this.#nodes.values());
    });
    this.#showEmpty();
  }

  /** Draw one that is new or has changed. */
  put(item) {
    const node = this.#draw(item);
    const known = this.#nodes.get(item.number);
    this.#follower.keep(() => {
      if (known) known.replaceWith(node);
      else {
        node.classList.add("fresh");
        this.#list.append(node);
      }
    });
    this.#nodes.set(item.number, node);
    this.#showEmpty();
  }

  toBottom() {
    this.#follower.toBottom();
  }

  #showEmpty() {
    this.#root.querySelector(".empty").hidden = this.#nodes.size > 0;
  }

  #showJump() {
    this.#root.querySelector(".jump").hidden = this.#follower.following;
  }
}
