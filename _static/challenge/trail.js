/** Shows the opponent's last move: for a moment a line from the card's old position, and a mark on it. Ignores clicks. */

import { make } from "../cardlab/elements.js";

export const TRAVEL_MS = 600; // the card's travel time
const TRAIL_MS = 1000; // how long the line stays, also with reduced motion

/**
 * @param {HTMLElement} arena contains the cards, and the line
 * @param {{x: number, y: number}} from where the move began, px of the window
 * @param {{x: number, y: number}} to where it ended
 * @param {HTMLElement[]} cards the cards that were moved
 */
export function leaveTrail(arena, from, to, cards) {
  const { left, top } = arena.getBoundingClientRect();
  const line = make("span.trail");
  line.setAttribute("aria-hidden", "true");
  Object.assign(line.style, {
    left: `${from.x - left}px`,
    top: `${from.y - top}px`,
    width: `${Math.hypot(to.x - from.x, to.y - from.y)}px`,
    rotate: `${Math.atan2(to.y - from.y, to.x - from.x)}rad`,
  });
  arena.append(line);
  for (const card of cards) card.setAttribute("data-trail", "");
  setTimeout(() => line.remove(), TRAIL_MS);
}

/** Removes the mark of the last move. Called when another move is made or taken back. */
export function removeMarks(board) {
  for (const card of board.querySelectorAll("[data-trail]")) card.removeAttribute("data-trail");
}
