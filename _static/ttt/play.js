/** The hand page of Target the Two: board and connection put together (js_vars: see Hand.html). */

import { HandConnection } from "../cardlab/hand.js";
import * as page from "../cardlab/page.js";
import { Board } from "./board.js";

const { socket, hand, feedback, last, back_url: backUrl, words } = window.js_vars;

const board = new Board(document.getElementById("board"), {
  words,
  backUrl,
  onAction: (action) => connection.act(action),
  onTrace: (name) => connection.trace(name),
  onNote: page.note,
  onChange: page.announce,
});

let newest = -1;

const connection = new HandConnection({
  socket,
  hand,
  onState(state, refused) {
    board.show(state.view);
    board.setLive(state.over === null);
    if (refused) page.refusal(refused);
    else if (state.next > newest) page.note("");
    newest = state.next;
    if (state.over !== null) finish(state);
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

function finish({ over, result }) {
  connection.stop();
  if (!feedback) page.goOn();
  else page.showResult(outcome(over, result), last ? words.see_results : words.next_hand);
}

function outcome(over, { score, parts }) {
  const moves = parts.moves;
  const sentence = {
    solved: moves === 1 ? words.solved_one : words.solved_many,
    failed: words.failed,
    timeout: words.timeout,
  }[over];
  return page.fill(sentence ?? words.ended, { moves, score });
}
