/** Connects a board to the server, the same way for every game. */

import { HandConnection } from "./hand.js";
import { watchOverflow } from "./overflow.js";
import * as page from "./page.js";
import { words } from "./page_texts.js";

/**
 * Creates the board of this page and connects it to its hand (js_vars: socket, hand, and the board's arguments).
 * @template {import("./board.js").BaseBoard} B
 * @param {new (root: HTMLElement, page: object) => B} Board
 * @param {(state: object, refused: string) => void} onState called with every state, after the board
 * @returns {{board: B, connection: HandConnection}}
 */
export function connect(Board, onState) {
  const { socket, hand } = window.js_vars;
  let newest = -1;

  const board = new Board(document.getElementById("board"), {
    ...window.js_vars,
    words,
    onAction(action, early, isStillValid) {
      page.clearRefusal();
      const accepted = connection.act(action, early, isStillValid);
      markUnanswered();
      return accepted;
    },
    countUnanswered: () => connection.actions.length,
    onTrace: (name) => connection.trace(name),
    onNote: page.showNote,
    onChange: page.announce,
  });
  watchOverflow(board.root);

  const connection = new HandConnection({
    socket,
    hand,
    onState(state, refused) {
      if (state.noted === undefined) page.clearAnnouncements(); // the answer to a note has nothing to announce
      board.show(state.view, state);
      board.setLive(state.over === null);
      if (refused) {
        page.showRefusal(refused);
        board.refuse();
      } else if (state.next !== newest) {
        page.removeNoteSoon();
        board.forgetRefusal();
      }
      newest = state.next;
      onState(state, refused);
      queueMicrotask(markUnanswered); // after the queued actions are sent or dropped
    },
    onRefused(sentence) {
      board.takeBack();
      page.showRefusal(sentence);
    },
    onLost() {
      board.setLive(false);
      page.showConnectionLost(true);
    },
    onBack: () => page.showConnectionLost(false),
    onElsewhere(mayPlay) {
      board.setLive(false);
      page.showOpenElsewhere(mayPlay, () => connection.playHere());
    },
  });

  /** Marks the board while actions have no answer. */
  function markUnanswered() {
    board.root.toggleAttribute("data-unanswered", connection.actions.length > 0);
  }
  return { board, connection };
}
