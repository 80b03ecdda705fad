/**
 * The moves that a board shows before the server has answered: the server's last view, and the views predicted from it.
 *
 * A prediction is {action, view, news}: the action, the view after it, and what is to be announced once the server has
 * confirmed it. Each follows from the one before.
 */

export class Predictions {
  #ahead = []; // the predictions without an answer, oldest first
  #number = 0; // the sequence number of the next action, from the newest message

  /**
   * @param {(view: object, action: string) => object | null} predict returns the view after an action; null if it is not
   *   known, as for hidden cards
   * @param {() => number} unsettled returns the number of actions without an answer
   */
  constructor(predict, unsettled) {
    this.predict = predict;
    this.unsettled = unsettled;
    this.confirmed = null; // the server's last view
  }

  /** Predicts and keeps an action on the shown view. Returns null after an action whose result is not known. */
  add(view, action) {
    const after = this.unsettled() === this.#ahead.length ? this.predict(view, action) : null;
    const made = after && { action, view: after, news: [] };
    if (made) this.#ahead.push(made);
    return made;
  }

  /** Whether a prediction has not been confirmed or taken back. */
  holds(made) {
    return this.#ahead.includes(made);
  }

  /** Forgets a prediction, because its action cannot be sent. */
  drop(made) {
    this.#ahead = this.#ahead.filter((each) => each !== made);
  }

  /**
   * Compares a view of the server with the predictions, and drops those that have become wrong.
   * @param {object} view
   * @param {number} [number] the sequence number of the next action
   * @param {boolean} [refused] whether an action was refused
   * @param {boolean} [ends] whether the hand is over, so that no waiting action is sent
   * @returns {{back: object[], news: string[], shown: object, isDrawn: boolean, isNew: boolean}} `back`: the earlier
   *   views to be drawn one after another, by which predictions are taken back; `news`: what is confirmed now; `shown`:
   *   the view to be drawn then; `isDrawn`: whether it is on the board already; `isNew`: whether it is not the last of
   *   `back`
   */
  settle(view, number = this.#number, refused = false, ends = false) {
    const first = !refused && number > this.#number ? this.#ahead.shift() : undefined;
    const base = first ? first.view : this.confirmed;
    this.confirmed = view;
    this.#number = number;
    const chain = [base, ...this.#ahead.map((each) => each.view)];
    const news = first?.news ?? [];
    const isAhead = this.#ahead.length > 0;
    const isNew = !same(view, base);
    if ((first || isAhead) && !isNew && !(isAhead && (refused || ends))) {
      return { back: [], news, shown: this.#ahead.at(-1)?.view ?? view, isDrawn: true, isNew };
    }
    if (isAhead && !first && !refused && !ends) return { back: [], news, shown: this.#repeat(view), isDrawn: false, isNew };
    this.#ahead = [];
    return { back: chain.slice(0, -1).reverse(), news, shown: view, isDrawn: false, isNew };
  }

  /** Predicts the same actions from a new view, as far as possible. Returns the last view. */
  #repeat(view) {
    const kept = [];
    let shown = view;
    for (const made of this.#ahead) {
      const after = this.predict(shown, made.action);
      if (!after) break;
      made.view = shown = after;
      kept.push(made);
    }
    this.#ahead = kept;
    return shown;
  }
}

/** Whether two values of JSON are equal. */
export function same(one, other) {
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return one === other;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => name in other && same(one[name], other[name]));
}
