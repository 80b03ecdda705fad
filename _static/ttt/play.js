/** The hand page of Target the Two: plays the hand, then says how it went (js_vars: see the page Hand in ttt_solo_app). */

import * as page from "../cardlab/page.js";
import { sitDown } from "./table.js";

const { feedback, timed, last, words } = window.js_vars;

const connection = sitDown((state) => {
  if (state.over !== null) finish(state);
});

function finish({ over, result }) {
  connection.stop();
  if (!feedback) page.goOn();
  else page.showResult(outcome(over, result), last ? words.see_results : words.next_hand);
}

function outcome(over, { score, parts: { moves, seconds } }) {
  const sentence = {
    solved: timed ? words.solved_timed : moves === 1 ? words.solved_one : words.solved_many,
    failed: words.failed,
    timeout: words.timeout,
  }[over];
  return page.fill(sentence ?? words.ended, { moves, score, seconds: seconds.toFixed(1) });
}
