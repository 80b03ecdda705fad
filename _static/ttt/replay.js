/** The board of Target the Two in a replay (analysis/replay). */

import { picture } from "../cardlab/pictures.js";
import { Board } from "./board.js";

/** @param {{words: Record<string, string>, settings: object}} table and what every board is made with */
export function makeBoard(root, { settings, ...table }) {
  const back = settings.CardsBackFile;
  const backUrl = picture(`backs/${back.includes(".") ? back : `${back}.svg`}`);
  return new Board(root, { backUrl, ...table });
}
