/** Predicts reminders in Triangle Solitaire, laid and taken back. Placing the card turns up a hidden one. */

/**
 * The view after a reminder was laid or taken back; null for another action, or if it is not legal.
 * @param {object} view
 * @param {string} action
 */
export function predict(view, action) {
  const [verb, single, number] = action.split(" ");
  const place = view.places[Number(number) - 1];
  if (!view.card || !place) return null;
  const [there, spare] = [place.marks.indexOf(single), view.spares[single]];
  if (verb === "mark" && !place.complete && spare) return withMarks(view, place, [...place.marks, single], single, spare - 1);
  if (verb !== "unmark" || there < 0) return null;
  return withMarks(view, place, place.marks.filter((_, index) => index !== there), single, spare + 1);
}

/** The view with these reminders beside a place, in the order of the spare cards, and so many spare ones of a kind. */
function withMarks(view, { place: number }, unsorted, single, spare) {
  const order = Object.keys(view.spares);
  const marks = [...unsorted].sort((one, other) => order.indexOf(one) - order.indexOf(other));
  const places = view.places.map((each) => (each.place === number ? { ...each, marks } : each));
  return { ...view, places, spares: { ...view.spares, [single]: spare } };
}
