/** The board of the matrix card game in a replay (analysis/replay). */

import { Board } from "./board.js";

/** @param {{words: Record<string, string>, settings: object}} table and what every board is made with */
export function makeBoard(root, { settings, ...table }) {
  return new Board(root, { robots: Object.keys(settings.robots ?? {}), ...table });
}
