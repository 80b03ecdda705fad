/** The hand page of every game: plays the hand, then shows the result. */

import { connectAbsentPartnerDialog } from "./absent_partner.js";
import { connectDrawers } from "./drawers.js";
import { kindOf } from "./outcomes.js";
import { confirmLeaving } from "./leave_warning.js";
import * as page from "./page.js";
import { hasWaited, signalAttention } from "./attention.js";
import { connect } from "./board_connection.js";
import { lift } from "./motion.js";
import { CALL, SUCCESS, playSound } from "./sound.js";
import { isOthersTurn } from "./turn.js";
import { words } from "./page_texts.js";

const WAVE_MS = 160; // ms between the cards lifted after a success

/**
 * @param {import("./board.js").BoardClass} Board
 * @param {(over: string, result: {score: number, parts: object}, view: object) => string} outcome returns the result as
 *   a sentence
 * @param {string} [next] the label of the button to the next hand
 */
export function play(Board, outcome, next = words.next_hand) {
  const { begin_signal: kind, calls, feedback, last, news } = window.js_vars;
  let pendingNews = news;
  let isOwnTurn = true;
  // Later, because oTree sets the window's title first.
  if (hasWaited()) addEventListener("DOMContentLoaded", () => signalAttention(kind, calls.begins));
  let wasSeenOpen = false; // whether the hand was shown before its end
  const { board, connection } = connect(Board, (state) => {
    if (pendingNews && state.next === 1) page.showNote(pendingNews); // not after a reload during the hand
    pendingNews = "";
    confirmLeaving(state.over === null);
    askAboutAbsentPartner(state);
    if (state.over !== null) showFinalResult(state);
    else wasSeenOpen = true;
    signalTurn(state);
  });

  const askAboutAbsentPartner = connectAbsentPartnerDialog((choice) => connection.choose(choice));
  connectDrawers((name) => connection.note(name));

  /** Signals that the participant's turn has begun. In solo games it is always their turn, so there is no signal. */
  function signalTurn({ view, over }) {
    const wasOwnTurn = isOwnTurn;
    isOwnTurn = over !== null || !isOthersTurn(view);
    if (!isOwnTurn || wasOwnTurn || over !== null) return;
    if (document.hidden) signalAttention(kind, calls.turn);
    else if (kind === "sound") playSound(CALL);
  }

  /** Shows on the board how the hand has ended (outcomes.js). */
  function showEnd(end) {
    board.root.dataset.end = end;
    if (end !== "reached") return;
    if (wasSeenOpen && kind === "sound") playSound(SUCCESS);
    board.goalCards().forEach((card, index) => {
      card.setAttribute("data-reached", "");
      if (wasSeenOpen) lift(card, WAVE_MS * index);
    });
  }

  /** Shows the result after the animation of the last action. */
  async function showFinalResult({ over, result, view, stopped, purse }) {
    connection.rest();
    await board.waitUntilAtRest();
    if (purse) document.getElementById("purse").textContent = purse;
    if (!feedback || board.continuesAutomatically) {
      page.goToNextPage();
      return;
    }
    showEnd(kindOf(over));
    page.showResult(outcome(over, result, view), last || stopped ? words.see_results : next, kindOf(over));
  }
}
