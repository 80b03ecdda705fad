/** The pages of Target the Two that have its board (js_vars: see the page Hand in ttt_solo_app). */

import { start } from "../cardlab/start.js";
import { fill, formatNumber } from "../cardlab/text.js";
import { words } from "../cardlab/page_texts.js";
import { Board } from "./board.js";
import { follow, tasks } from "./tutorial.js";
import { tasks as tasksOfTwo } from "./tutorial_two_players.js";

const { robots, timed } = window.js_vars;

function outcome(over, { score, parts: { moves, seconds } }) {
  const sentence = {
    solved: timed ? words.solved_timed : words.solved,
    failed: words.failed,
    timeout: words.timeout,
  }[over];
  return fill(sentence ?? words.ended, { moves, count: moves, score, seconds: formatNumber(seconds, 1) });
}

start(Board, { outcome, ...(robots ? { tasks: tasksOfTwo } : { tasks, follow }) });
