/** The board to try on the instructions page: a coach watches and gives advice. */

import * as page from "../cardlab/page.js";
import { sitDown } from "./table.js";

const { words } = window.js_vars;

let sequence = ""; // the moves seen on this page; "?" stands for those before a reload
let refusedOnce = false;

const connection = sitDown((state, refused) => {
  follow(state.view);
  refusedOnce ||= refused !== "" && state.view.moves === 0;
  document.getElementById("coach").textContent = advice(state);
});

document.getElementById("again").addEventListener("click", () => {
  [sequence, refusedOnce] = ["", false];
  connection.again();
});

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
  return steps[sequence] ?? page.fill(words.coach_free, { keeper });
}
