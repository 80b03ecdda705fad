/** Board and connection put together, as both pages with a board of Target the Two need them. */

import { HandConnection } from "../cardlab/hand.js";
import * as page from "../cardlab/page.js";
import { Board } from "./board.js";

/**
 * @param {(state: object, refused: string) => void} onState told of every state, once the board shows it
 * @returns {HandConnection}
 */
export function sitDown(onState) {
  const { socket, hand, back_url: backUrl, words } = window.js_vars;
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
      board.show(state.view);
      board.setLive(state.over === null);
      if (refused) page.refusal(refused);
      else if (state.next !== newest) page.note("");
      newest = state.next;
      onState(state, refused);
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
  return connection;
}
