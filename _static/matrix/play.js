/** The hand page of the matrix card game (js_vars: see matrix_game_app). */

import { play } from "../cardlab/play.js";
import { fill, signed } from "../cardlab/text.js";
import { Board } from "./board.js";

const { words } = window.js_vars;

function outcome(over, { score }) {
  const sentence = { completed: words.completed, timeout: words.timeout, advanced: words.advanced }[over];
  return fill(sentence ?? words.advanced, { score: signed(score) });
}

play(Board, outcome, words.next_game);
