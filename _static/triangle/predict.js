/** Predicts adding and removing reminders in Triangle Solitaire. Placing a card is not predictable: it reveals the next. */

/**
 * Returns the view after a reminder was added or removed; null for other or illegal actions.
 * @param {object} view
 * @param {string} action
 */
export function predict(view, action) {
  const [verb, single, number] = action.split(" ");
  const place = view.places[Number(number) - 1];
  if (!view.card || !place) return null;
  const [index, spare] = [place.marks.indexOf(single), view.spares[single]];
  if (verb === "mark" && !place.complete && spare) return withMarks(view, place, [...place.marks, single], single, spare - 1);
  if (verb !== "unmark" || index < 0) return null;
  return withMarks(view, place, place.marks.filter((_, other) => other !== index), single, spare + 1);
}

/** The view with these reminders next to a place, in the order of the spares, and this number of spares of a Single. */
function withMarks(view, { place: number }, unsorted, single, spare) {
  const order = Object.keys(view.spares);
  const marks = [...unsorted].sort((a, b) => order.indexOf(a) - order.indexOf(b));
  const places = view.places.map((place) => (place.place === number ? { ...place, marks } : place));
  return { ...view, places, spares: { ...view.spares, [single]: spare } };
}
