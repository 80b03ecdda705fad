/** The pages of Solitario that have its board (js_vars: see solitario_app). */

import { start } from "../cardlab/start.js";
import { fill } from "../cardlab/text.js";
import { words } from "../cardlab/page_texts.js";
import { Board } from "./board.js";
import { formatScore } from "./clock.js";
import { tasks } from "./tutorial.js";


function outcome(over, { score, parts }, view) {
  const solved = parts.bonus ? words.solved : words.solved_late;
  const sentence = { solved, gave_up: words.gave_up, timeout: words.timeout }[over];
  const values = { score: formatScore(score), bonus: formatScore(parts.bonus), home: parts.cards_home, of: view.cards };
  return fill(sentence ?? words.ended, values);
}

start(Board, { outcome, tasks });
