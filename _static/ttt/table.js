/** The table of Target the Two, as both pages with its board need it. */

import * as table from "../cardlab/table.js";
import { Board } from "./board.js";

/**
 * @param {(state: object, refused: string) => void} onState told of every state, once the board shows it
 * @returns {import("../cardlab/hand.js").HandConnection}
 */
export function sitDown(onState) {
  const { back_url: backUrl, words } = window.js_vars;
  const makeBoard = (root, callbacks) => new Board(root, { words, backUrl, ...callbacks });
  return table.sitDown(makeBoard, onState).connection;
}
