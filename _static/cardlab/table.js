/** Board and connection put together, the same for every game. */

import { HandConnection } from "./hand.js";
import * as page from "./page.js";

/**
 * Sit down at the board of this page (js_vars: socket, hand, and what the board needs).
 *
 * A board has `show(view, state)`, which draws a view, `setLive(live)` and `redraw()`. It is made with
 * `onAction(action)`, false if another action is still on its way, `onTrace(name)`, `onNote(sentence)` and
 * `onChange(sentence)`, which is for screen readers.
 *
 * @template Board
 * @param {(element: HTMLElement, callbacks: object) => Board} makeBoard
 * @param {(state: object, refused: string) => void} onState told of every state, once the board shows it
 * @returns {{board: Board, connection: HandConnection}}
 */
export function sitDown(makeBoard, onState) {
  const { socket, hand } = window.js_vars;
  let newest = -1;

  const board = makeBoard(document.getElementById("board"), {
    onAction: (action) => connection.act(action),
    onTrace: (name) => connection.trace(name),
    onNote: page.note,
    onChange: page.announce,
  });

  const connection = new HandConnection({
    socket,
    hand,
    onState(state, refused) {
      board.show(state.view, state);
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
  return { board, connection };
}
