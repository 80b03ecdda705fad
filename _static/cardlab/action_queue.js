/** The actions of a hand: the one in flight, those that wait for its answer, and the pick-ups to be sent with them. */

const MOST_WAITING = 50;
const MOST_TRACES = 50; // that the server accepts with one action

export class ActionQueue {
  pending = null; // the action in flight
  #waiting = [];
  #traces = []; // names with times

  /** Records a pick-up or the like with its time, to be sent with the next action. */
  trace(name, ms) {
    this.#traces.push([name, ms]);
    this.#traces = this.#traces.slice(-MOST_TRACES);
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
    if (!next.stands()) return this.next(hand, number);
    this.pending = { hand, number, ...next.said };
    return this.pending;
  }

  /** Reads a state: the action in flight was played, or refused, or has no answer yet. */
  settle({ refused, next }) {
    if (refused) this.refuse(next);
    else if (this.pending?.number !== next) this.pending = null;
  }

  /** Drops all actions, but keeps the pick-ups that were not recorded, because the number has not advanced. */
  refuse(next = this.pending?.number) {
    const dropped = [this.pending, ...this.#waiting.map(({ said }) => said)];
    const kept = dropped.flatMap((said, index) => (said && (index || said.number === next) ? said.traces : []));
    this.#traces = [...kept, ...this.#traces].slice(-MOST_TRACES);
    this.pending = null;
    this.#waiting = [];
  }
}
