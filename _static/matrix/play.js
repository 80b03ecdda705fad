/** The hand page of the matrix card game: plays the game, then says how it went (js_vars: see matrix_game_app). */

import * as page from "../cardlab/page.js";
import { signed } from "./card.js";
import { sitDown } from "./table.js";

const { feedback, last, words } = window.js_vars;

const { board, connection } = sitDown((state) => {
  if (state.over !== null) finish(state);
});

/** Once the last turn has been seen. */
async function finish({ over, result }) {
  connection.stop();
  await board.atRest();
  if (feedback) page.showResult(outcome(over, result), last ? words.see_results : words.next_game);
  else page.goOn();
}

function outcome(over, { score }) {
  const sentence = { completed: words.completed, timeout: words.timeout, advanced: words.advanced }[over];
  return page.fill(sentence ?? words.advanced, { score: signed(score) });
}
