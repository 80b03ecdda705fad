/**
 * The document with a participant's board. The page around it calls `openTable`, and hears actions and keys.
 *
 * `window.openTable` is a promise of a function, because the board's module loads only after this document.
 */

import { textsForDevice } from "./static/cardlab/text.js";

const { game } = document.body.dataset;
const isTouched = matchMedia("(pointer: coarse)").matches;
const words = textsForDevice(JSON.parse(document.getElementById("words").textContent), isTouched);

class Table {
  constructor(Board, { settings, onAction, onNote, onKey }) {
    this.root = document.getElementById("board");
    this.board = new Board(this.root, { ...Board.fromSettings(settings), words, onAction, onNote, light_up: true });
    this.drawnView = null;
    // The page's keys come first: a board uses some of them to move its focus.
    addEventListener("keydown", (event) => onKey(event), true);
  }

  /**
   * Draws a position. `before` has the views of those before it, null if it follows the one drawn.
   */
  async show(view, { before, over, live }) {
    if (before) await this.board.resume(before.length ? before : [view]);
    this.board.show(view, { over, wait: { ms: null, away: [] }, clock: 0, stands: true, atOnce: Boolean(before) });
    this.board.forgetRefusal();
    this.board.setLive(live);
    if (before) for (const motion of document.getAnimations()) motion.finish();
  }

  /** The last action was refused. */
  refuse() {
    this.board.redraw();
    this.board.refuse();
  }

  box() {
    return this.root.getBoundingClientRect();
  }
}

window.openTable = import(`./static/${game}/board.js`).then(
  ({ Board }) =>
    (page) =>
      new Table(Board, page),
);
