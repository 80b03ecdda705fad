/** The hand page of every game: plays the hand, then says how it went. */

import { absentPartner } from "./absent_partner.js";
import { connectDrawers } from "./drawers.js";
import { endOf } from "./ends.js";
import { confirmLeaving } from "./leaving.js";
import * as page from "./page.js";
import { hasWaited, signal } from "./signal.js";
import { connect } from "./table.js";
import { isOthersTurn } from "./turn.js";
import { words } from "./words.js";

/**
 * @param {import("./board.js").BoardClass} Board
 * @param {(over: string, result: {score: number, parts: object}, view: object) => string} outcome how it went, in a
 *   sentence
 * @param {string} [next] what the button to the next hand says
 */
export function play(Board, outcome, next = words.next_hand) {
  const { begin_signal: kind, calls, feedback, last, news } = window.js_vars;
  let pendingNews = news;
  let isOwnTurn = true;
  // When oTree has given the window its title.
  if (hasWaited()) addEventListener("DOMContentLoaded", () => signal(kind, calls.begins));
  let wasSeenOpen = false; // whether the end is seen to come
  const { board, connection } = connect(Board, (state) => {
    if (pendingNews && state.next === 1) page.showNote(pendingNews); // not again after a reload in mid-hand
    pendingNews = "";
    confirmLeaving(state.over === null);
    askAboutAbsentPartner(state);
    if (state.over !== null) finish(state);
    else wasSeenOpen = true;
    callBackIfHidden(state);
  });

  const askAboutAbsentPartner = absentPartner((choice) => connection.choose(choice));
  connectDrawers((name) => connection.note(name));

  /** Who has another tab in front is called when it is their turn. Where one plays alone it always is. */
  function callBackIfHidden({ view, over }) {
    const before = isOwnTurn;
    isOwnTurn = over !== null || !isOthersTurn(view);
    if (isOwnTurn && !before && over === null && document.hidden) signal(kind, calls.turn);
  }

  /** Once the last action has been seen. */
  async function finish({ over, result, view, stopped }) {
    connection.stop();
    await board.atRest();
    if (!feedback || board.goesOn) {
      page.goToNextPage();
      return;
    }
    board.end(endOf(over), wasSeenOpen);
    page.showResult(outcome(over, result, view), last || stopped ? words.see_results : next, endOf(over));
  }
}
