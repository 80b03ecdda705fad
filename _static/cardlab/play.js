/** The hand page of every game: plays the hand, then says how it went. */

import { absentPartner } from "./absent_partner.js";
import { atHand } from "./at_hand.js";
import { endOf } from "./ends.js";
import { askWhoLeaves } from "./leaving.js";
import * as page from "./page.js";
import { hasWaited, signal } from "./signal.js";
import { connect } from "./table.js";

/**
 * @param {import("./board.js").BoardClass} Board
 * @param {(over: string, result: {score: number, parts: object}, view: object) => string} outcome how it went, in a
 *   sentence
 * @param {string} [next] what the button to the next hand says
 */
export function play(Board, outcome, next = window.js_vars.words.next_hand) {
  const { begin_signal: kind, calls, feedback, last, news, words } = window.js_vars;
  let untold = news;
  let own = true;
  // When oTree has given the window its title.
  if (hasWaited()) addEventListener("DOMContentLoaded", () => signal(kind, calls.begins));
  let seenOpen = false; // whether the end is seen to come
  const { board, connection } = connect(Board, (state) => {
    if (untold && state.next === 1) page.note(untold); // not again after a reload in mid-hand
    untold = "";
    askWhoLeaves(state.over === null);
    askAboutAbsentPartner(state);
    if (state.over !== null) finish(state);
    else seenOpen = true;
    callBack(state);
  });

  const askAboutAbsentPartner = absentPartner((choice) => connection.choose(choice));
  atHand((name) => connection.note(name));

  /** Who has another tab in front is called when it is their turn. Where one plays alone it always is. */
  function callBack({ view, over }) {
    const before = own;
    own = over !== null || !view.waiting_for || view.waiting_for.includes(view.seat);
    if (own && !before && over === null && document.hidden) signal(kind, calls.turn);
  }

  /** Once the last action has been seen. */
  async function finish({ over, result, view, stopped }) {
    connection.stop();
    await board.atRest();
    if (!feedback || board.goesOn) {
      page.goOn();
      return;
    }
    board.end(endOf(over), seenOpen);
    page.showResult(outcome(over, result, view), last || stopped ? words.see_results : next, endOf(over));
  }
}
