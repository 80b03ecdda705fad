/** What has happened at the table between two views of one seat. */

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
 * The turns disclosed since `before`, oldest first, each like `view.last`; null if more has happened than can
 * be told from the two views, as after a lost connection.
 */
export function turnsBetween(before, after) {
  const count = (after.last?.turn ?? 0) - (before.last?.turn ?? 0);
  if (count === 0) return [];
  if (count === 1) return [after.last];
  return count === 2 && after.players.length === 4 ? [covered(before, after), after.last] : null;
}

/** Who turned a cross or kept them since `before`, in a turn that `before` knew: `[seat, action]` or null. */
export function rotationBetween(before, after) {
  const news = before.last?.turn === after.last?.turn && before.last?.rotation !== after.last?.rotation;
  return news ? [after.last.rotator, after.last.rotation] : null;
}

/**
 * The turn after `before` when another has followed it, as robots of both other seats play at once. Its two
 * cards made a cross, which lies there still, or the next turn has collected it. Four players: none is turned.
 */
function covered(before, after) {
  const changed = ({ cell, own }) => cell !== after.last.cell && own !== crossAt(before, cell).own;
  const cross = after.crosses.find(changed);
  const cell = cross?.cell ?? after.last.cell;
  const collectors = Object.entries(after.last.collected);
  const laid = cross ?? Object.fromEntries(collectors.map(([seat, card]) => [axisOf(after, seat), card]));
  const ofPair = (cards) => Object.fromEntries(before.pair.map((seat) => [seat, cards[axisOf(before, seat)]]));
  return {
    turn: before.turn,
    cards: ofPair(laid),
    cell,
    collected: ofPair(crossAt(before, cell)),
    rotator: null,
    rotation: null,
  };
}
