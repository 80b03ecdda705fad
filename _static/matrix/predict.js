/** Predicts the own choice of a card in the matrix card game, which is shown as chosen. */

/**
 * The view after the own choice, before both cards are disclosed; null for another action, or if it is not legal.
 * @param {object} view
 * @param {string} action
 * @param {{change_choice: boolean}} options of the game, as in the record
 */
export function predict(view, action, { change_choice: mayChange }) {
  const [verb, card] = action.split(" ");
  const { chosen, may_change: mayChangeNow, pair, rotator, seat, waiting_for: waitingFor } = view;
  const isOpen = pair.includes(seat) && !rotator && (waitingFor.includes(seat) || (mayChangeNow && card !== chosen));
  if (verb !== "play" || !isOpen || !view.hand.includes(card)) return null;
  return { ...view, waiting_for: waitingFor.filter((other) => other !== seat), chosen: card, may_change: mayChange };
}
