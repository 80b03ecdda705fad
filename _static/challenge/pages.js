/** The pages of Challenge that have its board (js_vars: see challenge_app). */

import { start } from "../cardlab/start.js";
import { fill, formatSigned } from "../cardlab/text.js";
import { words } from "../cardlab/page_texts.js";
import { Board } from "./board.js";
import { Sentences } from "./sentences.js";
import { follow, tasks } from "./tutorial.js";

const { analysing } = window.js_vars;
const sentences = new Sentences(words);

// The page that follows, after the last game too.
if (analysing) words.next_game = words.see_results = words.analyse;

/** "You win: you played your last card. Your score: +2" */
function outcome(over, { score }, view) {
  const ended = ["won", "lost", "drawn"].includes(over) && sentences.ending(view);
  const sentence = ended || (over === "timeout" ? words.timeout : words.advanced);
  return `${sentence} ${fill(words.scored, { score: formatSigned(score) })}`;
}

start(Board, { outcome, next: words.next_game, tasks, follow });
