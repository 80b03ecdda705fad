/** The hand page of Triangle Solitaire: plays the hand, then says how it went (js_vars: see triangle_app). */

import * as page from "../cardlab/page.js";
import { signed } from "./sentences.js";
import { sitDown } from "./table.js";

const { feedback, last, words } = window.js_vars;
const BEST = 18;

const connection = sitDown((state) => {
  if (state.over !== null) finish(state);
});

function finish({ over, result }) {
  connection.stop();
  if (feedback) page.showResult(outcome(over, result), last ? words.see_results : words.next_hand);
  else page.goOn();
}

function outcome(over, { score }) {
  const sentence = { completed: score === BEST ? words.perfect : words.completed, timeout: words.timeout }[over];
  return page.fill(sentence ?? words.ended, { score: signed(score) });
}
