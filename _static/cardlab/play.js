/** The hand page of every game: plays the hand, then says how it went. */

import { atHand } from "./at_hand.js";
import { askWhoLeaves } from "./leaving.js";
import * as page from "./page.js";
import { connect } from "./table.js";

/**
 * @param {typeof import("./board.js").BaseBoard} Board
 * @param {(over: string, result: {score: number, parts: object}) => string} outcome how it went, in a sentence
 * @param {string} [next] what the button to the next hand says
 */
export function play(Board, outcome, next = window.js_vars.words.next_hand) {
  const { feedback, last, news, words } = window.js_vars;
  let untold = news;
  const { board, connection } = connect(Board, (state) => {
    if (untold) page.note(untold);
    untold = "";
    askWhoLeaves(state.over === null);
    if (state.over !== null) finish(state);
  });

  atHand((name) => connection.note(name));

  /** Once the last action has been seen. */
  async function finish({ over, result }) {
    connection.stop();
    await board.atRest();
    if (feedback) page.showResult(outcome(over, result), last ? words.see_results : next);
    else page.goOn();
  }
}
