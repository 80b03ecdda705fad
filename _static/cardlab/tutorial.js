/** The board to try on the instructions page of every game: a coach watches and gives advice. */

import { connect } from "./table.js";

/**
 * @param {typeof import("./board.js").BaseBoard} Board
 * @param {(state: object, refused: string) => string} advice what the coach says to a state
 * @param {() => void} [forget] called when it begins again
 */
export function tryOut(Board, advice, forget = () => {}) {
  const { connection } = connect(Board, (state, refused) => {
    document.getElementById("coach").textContent = advice(state, refused);
  });
  document.getElementById("again").addEventListener("click", () => {
    forget();
    connection.again();
  });
}
