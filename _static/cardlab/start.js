/** Starts the hand on a hand page, or the board to try on the instructions. */

import { play } from "./play.js";
import { teach } from "./tutorial.js";

/**
 * @param {import("./board.js").BoardClass} Board
 * @param {object} game
 * @param {(over: string, result: {score: number, parts: object}, view: object) => string} game.outcome returns the
 *   result of a hand as a sentence
 * @param {string} [game.next] the label of the button to the next hand
 * @param {Record<string, import("./tutorial.js").Task>} game.tasks the tasks of the tutorial, by step name
 * @param {(view: object) => void} [game.follow] called with every view of the tutorial before the tasks
 */
export function start(Board, { outcome, next, tasks, follow }) {
  if ("done" in window.js_vars) teach(Board, tasks, follow);
  else play(Board, outcome, next);
}
