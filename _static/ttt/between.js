/** Finds the position between two moves that arrive in one message. */

import { otherKeeper } from "./places.js";

/**
 * The position before a partner's move that arrived together with the previous move or the deal; null if there is none.
 */
export function positionBetween(drawn, view) {
  if (!view.seat) return null; // one player
  const drawnMoves = drawn?.played ?? "";
  const newMoves = view.played.length - drawnMoves.length;
  const cards = view.before_last ?? (view.last === "P" ? view.cards : null);
  const isPredicted = newMoves === 1 && view.before_last; // the move before the robot's is drawn already
  if (!cards || !view.played.startsWith(drawnMoves) || !(isPredicted || newMoves === (drawn ? 2 : 1))) return null;
  const partner = otherKeeper(view.seat);
  const position = { cards, moves: view.moves - 1, left: view.left + 1, before_last: null };
  const history = { played: view.played.slice(0, -1), last: view.played.at(-2) ?? null };
  return { ...view, ...position, ...history, turn: partner, waiting_for: [partner], may_look: [] };
}
