/** The board to try on the instructions page: board, connection, and a coach who watches. */

import { HandConnection } from "../cardlab/hand.js";
import * as page from "../cardlab/page.js";
import { Board } from "./board.js";

const { socket, hand, back_url: backUrl, words } = window.js_vars;

let sequence = ""; // the moves seen on this page; "?" stands for those before a reload
let refusedOnce = false;
let newest = -1;

const board = new Board(document.getElementById("board"), {
  words,
  backUrl,
  onAction: (action) => connection.act(action),
  onTrace: (name) => connection.trace(name),
  onNote: page.note,
  onChange: page.announce,
});

const connection = new HandConnection({
  socket,
  hand,
  onState(state, refused) {
    follow(state.view);
    board.show(state.view);
    board.setLive(state.over === null);
    if (refused) page.refusal(refused);
    else if (state.next !== newest) page.note("");
    refusedOnce ||= refused !== "" && state.view.moves === 0;
    newest = state.next;
    document.getElementById("coach").textContent = advice(state);
  },
  onRefused(sentence) {
    board.redraw();
    page.refusal(sentence);
  },
  onLost() {
    board.setLive(false);
    page.connectionLost(true);
  },
  onBack: () => page.connectionLost(false),
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
