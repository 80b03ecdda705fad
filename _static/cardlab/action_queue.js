/** The actions of a hand: the one in flight, those that wait for its answer, and the pick-ups to be sent with them. */

const MOST_WAITING = 50;
const MOST_TRACES = 50; // that the server accepts with one action

export class ActionQueue {
  pending = null; // the action in flight
  #waiting = [];
  #traces = []; // names with times
  #kept = []; // those of actions that were not recorded, which go with the next

  /** The number of actions without an answer. */
  get length() {
    return this.#waiting.length + Number(this.pending !== null);
  }

  /** Records a pick-up or the like with its time, to be sent with the next action. */
  trace(name, ms) {
    this.#traces.push([name, ms]);
  }

  /** @param {() => boolean} stands see `HandConnection.act`  @returns {boolean} false if too many wait */
  add(action, ms, early, stands) {
    if (this.#waiting.length >= MOST_WAITING) return false;
    this.#waiting.push({ said: { action, ms, early, traces: this.#traces }, stands });
    this.#traces = [];
    return true;
  }

  /** Returns the next action that is still meant, which then is in flight; null if there is none. */
  next(hand, number) {
    const next = this.#waiting.shift();
    if (!next) return null;
    const { said, stands } = next;
    this.#kept.push(...said.traces);
    if (!stands()) return this.next(hand, number);
    this.pending = { hand, number, ...said, traces: this.#kept.slice(-MOST_TRACES) };
    this.#kept = [];
    return this.pending;
  }

  /** Reads a state: the action in flight was played, or refused, or has no answer yet. */
  settle({ refused, next }) {
    const { pending } = this;
    const isOpen = pending?.number === next;
    if (isOpen && !refused) return;
    if (isOpen) this.#kept.push(...pending.traces); // the number has not advanced: they were not recorded
    this.pending = null;
  }

  /** Drops all actions, but keeps their pick-ups. */
  refuse() {
    for (const said of [this.pending, ...this.#waiting.map((one) => one.said)]) this.#kept.push(...(said?.traces ?? []));
    this.pending = null;
    this.#waiting = [];
  }
}
