/** Finds the turns between two views of one seat. */

/** The axis on which the seat's card lies in a cross: `own`, as the viewer's, or `across`. */
export function axisOf(view, seat) {
  const { side } = view.players.find((player) => player.seat === seat);
  return ["near", "far"].includes(side) ? "own" : "across";
}

/** The cross in a cell, as the view shows it. */
export function crossAt(view, cell) {
  return view.crosses.find((cross) => cross.cell === cell);
}

/**
 * The turns since `before`, oldest first, each like `view.last`; null if the views do not show all of them, for
 * example after a lost connection.
 */
export function turnsBetween(before, after) {
  const count = (after.last?.turn ?? 0) - (before.last?.turn ?? 0);
  if (count === 0) return [];
  const turns = lastTurns(after);
  return count <= turns.length ? turns.slice(-count) : null;
}

/** The turns in a view, oldest first: the last one; with four players, that of each pair. */
export function lastTurns(view) {
  return [view.last_but_one, view.last].filter(Boolean);
}

/** The last turn, if `before` has it without its rotation and `after` with it; else null. */
export function rotationBetween(before, after) {
  const isNew = before.last?.turn === after.last?.turn && before.last?.rotation !== after.last?.rotation;
  return isNew ? after.last : null;
}
