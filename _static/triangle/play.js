/** The hand page of Triangle Solitaire (js_vars: see triangle_app). */

import { play } from "../cardlab/play.js";
import { fill, signed } from "../cardlab/text.js";
import { Board } from "./board.js";

const { words } = window.js_vars;
const BEST = 18;

play(Board, (over, { score }) => {
  const sentence = { completed: score === BEST ? words.perfect : words.completed, timeout: words.timeout }[over];
  return fill(sentence ?? words.ended, { score: signed(score) });
});
