/** The way to the stand-in server: posts, and the event stream that comes back by itself after a break. */

const RETRY_MS = 1000;

/** Thrown when the server refuses a post or does not answer; `message` is its reason, empty when there was no answer. */
export class Refused extends Error {}

/** POST to /sandbox/`path`. */
export async function post(path, body) {
  let response;
  try {
    response = await fetch(`/sandbox/${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  } catch {
    throw new Refused("");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Refused(answer.error ?? answer.description ?? `HTTP ${response.status}`);
  return answer;
}

async function readState() {
  const response = await fetch("/sandbox/state", { cache: "no-store" });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.json();
}

/**
 * Follow the server for good: `onState` gets the whole state each time the stream opens and after `reload()`,
 * `onEvent` each event after it. What arrives while the state is on its way is held back and given after it, so that
 * nothing falls between the two. `onStatus` hears "connecting", "online" and "reconnecting".
 */
export class Stream {
  #source;
  #held = [];
  #loading = 0;
  #listeners;

  constructor(listeners) {
    this.#listeners = listeners;
    listeners.onStatus("connecting");
    this.#connect();
  }

  /** Load the state anew, after something that events do not carry. */
  async reload() {
    const source = this.#source;
    if (!source) return;
    this.#loading += 1;
    this.#held ??= [];
    const state = await readState().catch(() => null);
    if (source !== this.#source) return;
    if (state) this.#take(state);
    else this.#restart();
  }

  #connect() {
    this.#held = [];
    this.#loading = 0;
    this.#source = new EventSource("/sandbox/events");
    this.#source.onopen = () => this.reload();
    this.#source.onerror = () => this.#restart();
    this.#source.onmessage = ({ data }) => this.#hear(JSON.parse(data));
  }

  // EventSource gives up after some errors and hammers after others; one way of coming back is enough.
  #restart() {
    this.#source.close();
    this.#source = null;
    this.#listeners.onStatus("reconnecting");
    setTimeout(() => this.#connect(), RETRY_MS);
  }

  #hear(event) {
    if (this.#held) this.#held.push(event);
    else if (event.type === "chat") this.reload();
    else this.#listeners.onEvent(event);
  }

  #take(state) {
    this.#listeners.onState(state);
    this.#listeners.onStatus("online");
    this.#loading -= 1;
    if (this.#loading > 0) return;
    const held = this.#held;
    this.#held = null;
    // A line that is already in the state must not appear twice; messages carry ids and overwrite themselves.
    const known = new Set((state.journal ?? []).map((line) => JSON.stringify(line)));
    const late = held.filter((event) => event.type !== "journal" || !known.has(JSON.stringify(event.line)));
    for (const event of late) this.#hear(event);
  }
}
