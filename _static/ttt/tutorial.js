/** The board to try on the instructions page: what the coach says. */

import { fill } from "../cardlab/text.js";
import { tryOut } from "../cardlab/tutorial.js";
import { Board } from "./board.js";

const { words } = window.js_vars;

let sequence = ""; // the moves seen on this page; "?" stands for those before a reload
let refusedOnce = false;

tryOut(
  Board,
  (state, refused) => {
    follow(state.view);
    refusedOnce ||= refused !== "" && state.view.moves === 0;
    return advice(state);
  },
  () => ([sequence, refusedOnce] = ["", false]),
);

function follow(view) {
  if (view.moves === sequence.length + 1) sequence += view.last;
  else if (view.moves !== sequence.length) sequence = view.moves === 0 ? "" : "?".repeat(view.moves);
}

/** The next step on the way C T T, after one move that breaks a rule; off that way, free play. */
function advice({ over, view }) {
  if (over === "solved") return words.coach_solved;
  if (over !== null) return words.coach_failed;
  const first = view.may_look.includes("ck") && view.turn === "ck" ? words.coach_look : words.coach_start;
  const steps = { "": refusedOnce ? words.coach_refused : first, C: words.coach_number, CT: words.coach_goal };
  const keeper = view.turn === "ck" ? "Ck" : "Nk";
  return steps[sequence] ?? fill(words.coach_free, { keeper });
}
