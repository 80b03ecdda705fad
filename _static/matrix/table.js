/** The table of the matrix card game: board and connection put together. */

import * as table from "../cardlab/table.js";
import { Board } from "./board.js";

/**
 * @param {(state: object, refused: string) => void} onState told of every state, once the board has it
 * @returns {{board: Board, connection: import("../cardlab/hand.js").HandConnection}}
 */
export function sitDown(onState) {
  const { words, robots } = window.js_vars;
  return table.sitDown((root, callbacks) => new Board(root, { words, robots, ...callbacks }), onState);
}
