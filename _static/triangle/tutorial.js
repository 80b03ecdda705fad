/** The triangle to try on the instructions page: what the coach says. */

import { fill, signed } from "../cardlab/text.js";
import { tryOut } from "../cardlab/tutorial.js";
import { Board } from "./board.js";
import { isComplete } from "./card.js";
import { drawExamples } from "./examples.js";
import { NUMBERS, before } from "./loop.js";
import { Sentences } from "./sentences.js";

const { words } = window.js_vars;
const sentences = new Sentences(words);
const PLAN_AFTER = 3; // Completes, then the coach tells of planning
const FREE_AFTER = 7;

drawExamples(words);

let planned = false; // whether a reminder has been laid

tryOut(
  Board,
  ({ over, view }) => {
    const marked = view.places.some(({ marks }) => marks.length > 0);
    planned ||= marked;
    return advice(over, view, marked);
  },
  () => (planned = false),
);

function advice(over, view, marked) {
  if (over !== null) return fill(words.coach_over, { score: signed(view.score.total) });
  const { card } = view;
  const values = { card: sentences.card(card) };
  if (!isComplete(card)) return fill(words.coach_single, values);
  if (view.last.discarded.some(isComplete)) return fill(words.coach_discarded, values);
  const placed = NUMBERS.filter((number) => view.places[number - 1].complete).length;
  if (placed === 0) {
    const [filling, colour, shape] = [...card].map((letter) => words[letter]);
    return fill(words.coach_start, { ...values, fill: filling, colour, shape });
  }
  if (marked) return words.coach_marked;
  if (placed === 1) return fill(words.coach_first, values);
  if (placed >= FREE_AFTER) return words.coach_free;
  const joined = newJoint(view);
  if (joined) return fill(words[`coach_${joined}`], values);
  if (placed < PLAN_AFTER) return fill(words.coach_first, values);
  return planned ? words.coach_free : fill(words.coach_plan, values);
}

/** How the card last placed lies to its neighbours: `mismatch`, `match`, or "" if neither place is filled. */
function newJoint({ last, score }) {
  if (!last.place || !isComplete(last.card)) return "";
  const states = [before(last.place), last.place].map((joint) => score.joints[joint - 1]);
  return states.find((state) => state === "mismatch") ?? states.find((state) => state === "match") ?? "";
}
