/** Queues a hand's actions behind the one in flight, with the traces (such as pick-ups) to be sent with them. */

const MAX_WAITING = 50;
const MAX_TRACES = 50; // the most that the server accepts with one action

export class ActionQueue {
  pending = null; // the action in flight
  #waiting = [];
  #traces = []; // names with times
  #unrecordedTraces = []; // traces of actions that were not recorded; sent with the next action

  /** The number of actions without an answer. */
  get length() {
    return this.#waiting.length + Number(this.pending !== null);
  }

  /** Records a trace, such as a pick-up, with its time. It is sent with the next action. */
  trace(name, ms) {
    this.#traces.push([name, ms]);
  }

  /** @param {() => boolean} isStillValid see `HandConnection.act`  @returns {boolean} false if too many are queued */
  add(action, ms, early, isStillValid) {
    if (this.#waiting.length >= MAX_WAITING) return false;
    this.#waiting.push({ message: { action, ms, early, traces: this.#traces }, isStillValid });
    this.#traces = [];
    return true;
  }

  /** Puts the next action that is still valid in flight and returns it; null if there is none. */
  next(hand, number) {
    const next = this.#waiting.shift();
    if (!next) return null;
    const { message, isStillValid } = next;
    this.#unrecordedTraces.push(...message.traces);
    if (!isStillValid()) return this.next(hand, number);
    this.pending = { hand, number, ...message, traces: this.#unrecordedTraces.slice(-MAX_TRACES) };
    this.#unrecordedTraces = [];
    return this.pending;
  }

  /** Handles a state from the server: the action in flight was played or refused, or has no answer yet. */
  settle({ refused, next }) {
    const { pending } = this;
    const isOpen = pending?.number === next;
    if (isOpen && !refused) return;
    if (isOpen) this.#unrecordedTraces.push(...pending.traces); // the number has not advanced
    this.pending = null;
  }

  /** Drops all actions, but keeps their traces. */
  refuse() {
    const messages = [this.pending, ...this.#waiting.map(({ message }) => message)];
    for (const message of messages) this.#unrecordedTraces.push(...(message?.traces ?? []));
    this.pending = null;
    this.#waiting = [];
  }
}
