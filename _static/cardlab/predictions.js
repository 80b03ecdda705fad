/**
 * Predicts the moves that a board shows before the server has answered, from the server's last view.
 *
 * A prediction is {action, view, news}: the action, the view after it, and the sentences to announce once the server has
 * confirmed it. Each prediction starts from the view of the one before.
 */

export class Predictions {
  #unconfirmed = []; // oldest first
  #number = 0; // the sequence number of the next action, from the newest message

  /**
   * @param {(view: object, action: string) => object | null} predict returns the view after an action; null if it is
   *   unknown, as for hidden cards
   * @param {() => number} countUnanswered returns the number of actions without an answer
   */
  constructor(predict, countUnanswered) {
    this.predict = predict;
    this.countUnanswered = countUnanswered;
    this.confirmed = null; // the server's last view
  }

  /** Predicts an action on the shown view and keeps the prediction. Returns null if the result is unknown. */
  add(view, action) {
    const after = this.countUnanswered() === this.#unconfirmed.length ? this.predict(view, action) : null;
    const prediction = after && { action, view: after, news: [] };
    if (prediction) this.#unconfirmed.push(prediction);
    return prediction;
  }

  /** Whether a prediction is neither confirmed nor taken back. */
  isUnconfirmed(prediction) {
    return this.#unconfirmed.includes(prediction);
  }

  /** Removes a prediction whose action cannot be sent. */
  discard(prediction) {
    this.#unconfirmed = this.#unconfirmed.filter((other) => other !== prediction);
  }

  /**
   * Compares a view from the server with the predictions, and drops those that have become wrong.
   * @param {object} view
   * @param {number} [number] the sequence number of the next action
   * @param {boolean} [refused] whether an action was refused
   * @param {boolean} [ends] whether the hand is over, so that no queued action is sent
   * @returns {{earlierViews: object[], news: string[], shown: object, isDrawn: boolean, isNew: boolean}} `earlierViews`: the
   *   views to draw one after another to take predictions back; `news`: the sentences to announce now; `shown`: the
   *   view to draw after them; `isDrawn`: whether it is on the board already; `isNew`: whether it differs from the
   *   last of `earlierViews`
   */
  settle(view, number = this.#number, refused = false, ends = false) {
    const first = !refused && number > this.#number ? this.#unconfirmed.shift() : undefined;
    const base = first ? first.view : this.confirmed;
    this.confirmed = view;
    this.#number = number;
    const chain = [base, ...this.#unconfirmed.map((prediction) => prediction.view)];
    const news = first?.news ?? [];
    const hasUnconfirmed = this.#unconfirmed.length > 0;
    const isNew = !isEqual(view, base);
    if ((first || hasUnconfirmed) && !isNew && !(hasUnconfirmed && (refused || ends))) {
      return { earlierViews: [], news, shown: this.#unconfirmed.at(-1)?.view ?? view, isDrawn: true, isNew };
    }
    if (hasUnconfirmed && !first && !refused && !ends) return { earlierViews: [], news, shown: this.#predictAgain(view), isDrawn: false, isNew };
    this.#unconfirmed = [];
    return { earlierViews: chain.slice(0, -1).reverse(), news, shown: view, isDrawn: false, isNew };
  }

  /** Predicts the same actions from a new view, as far as possible. Returns the last view. */
  #predictAgain(view) {
    const predictable = [];
    let shown = view;
    for (const prediction of this.#unconfirmed) {
      const after = this.predict(shown, prediction.action);
      if (!after) break;
      prediction.view = shown = after;
      predictable.push(prediction);
    }
    this.#unconfirmed = predictable;
    return shown;
  }
}

/** Whether two JSON values are equal. */
export function isEqual(a, b) {
  if (typeof a !== "object" || typeof b !== "object" || !a || !b) return a === b;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => name in b && isEqual(a[name], b[name]));
}
