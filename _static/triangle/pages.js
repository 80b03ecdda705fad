/** The pages of Triangle Solitaire that have its board (js_vars: see triangle_app). */

import { start } from "../cardlab/start.js";
import { fill, formatSigned } from "../cardlab/text.js";
import { words } from "../cardlab/page_texts.js";
import { Board } from "./board.js";
import { tasks } from "./tutorial.js";

const BEST = 18;

function outcome(over, { score }) {
  const sentence = { completed: score === BEST ? words.perfect : words.completed, timeout: words.timeout }[over];
  return fill(sentence ?? words.ended, { score: formatSigned(score) });
}

start(Board, { outcome, tasks });
