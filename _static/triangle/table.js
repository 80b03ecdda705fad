/** The table of Triangle Solitaire, as both pages with its board need it. */

import * as table from "../cardlab/table.js";
import { Board } from "./board.js";

/**
 * @param {(state: object, refused: string) => void} onState told of every state, once the board shows it
 * @returns {import("../cardlab/hand.js").HandConnection}
 */
export function sitDown(onState) {
  const { words } = window.js_vars;
  return table.sitDown((root, callbacks) => new Board(root, { words, ...callbacks }), onState).connection;
}
