/** The pages of the matrix card game that have its board (js_vars: see matrix_game_app). */

import { start } from "../cardlab/start.js";
import { fill, formatSigned } from "../cardlab/text.js";
import { words } from "../cardlab/page_texts.js";
import { Board } from "./board.js";
import { Sentences } from "./sentences.js";
import { follow, tasks } from "./tutorial.js";

const { robots } = window.js_vars;
const sentences = new Sentences(words, robots);

/** "Game over · Your score: +7 · Other player: −3" */
function outcome(over, { score }, view) {
  const sentence = { completed: words.completed, timeout: words.timeout, advanced: words.advanced }[over];
  const parts = [fill(sentence ?? words.advanced, { score: formatSigned(score) }), ...scoresOfOthers(view)];
  return parts.join(" · ").replaceAll(": ", ":\u00a0"); // a score stays in the line of its name
}

function scoresOfOthers(view) {
  const [, ...others] = view.players;
  const name = ({ seat }) => (others.length > 1 ? sentences.shortName(view, seat) : sentences.name(view, seat));
  return others.map((other) => fill(words.score_of, { name: name(other), score: formatSigned(other.score) }));
}

start(Board, { outcome, next: words.next_game, tasks, follow });
