/** Starts a game on a page that has its board: on the hand page the hand, on the instructions the board to try. */

import { play } from "./play.js";
import { teach } from "./tutorial.js";

/**
 * @param {import("./board.js").BoardClass} Board
 * @param {object} game
 * @param {(over: string, result: {score: number, parts: object}, view: object) => string} game.outcome how a hand
 *   ended, in a sentence
 * @param {string} [game.next] what the button to the next hand says
 * @param {Record<string, import("./tutorial.js").Task>} game.tasks the tasks of the tutorial, by the steps' names
 * @param {(view: object) => void} [game.follow] sees every view of the tutorial before the tasks do
 */
export function start(Board, { outcome, next, tasks, follow }) {
  if ("done" in window.js_vars) teach(Board, tasks, follow);
  else play(Board, outcome, next);
}
