/** The hand page of Target the Two (js_vars: see the page Hand in ttt_solo_app). */

import { play } from "../cardlab/play.js";
import { fill, number } from "../cardlab/text.js";
import { Board } from "./board.js";

const { timed, words } = window.js_vars;

play(Board, (over, { score, parts: { moves, seconds } }) => {
  const sentence = {
    solved: timed ? words.solved_timed : moves === 1 ? words.solved_one : words.solved_many,
    failed: words.failed,
    timeout: words.timeout,
  }[over];
  return fill(sentence ?? words.ended, { moves, score, seconds: number(seconds, 1) });
});
