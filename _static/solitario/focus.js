/** Keyboard navigation of the table: Tab reaches one place, and the arrow keys move on. */

import { NUMBERS } from "./build.js";

export const TOP_ROW = ["stock", "w", "f1", "f2", "f3", "f4"];
export const COLUMNS = NUMBERS.map((number) => `c${number}`);
const ABOVE = { c1: "stock", c2: "w", c3: "w", c4: "f1", c5: "f2", c6: "f3", c7: "f4" };
const BELOW = { stock: "c1", w: "c2", f1: "c4", f2: "c5", f3: "c6", f4: "c7" };

export class Focus {
  /**
   * @param {HTMLElement} root the board, built
   * @param {import("./piles.js").Piles} piles
   */
  constructor(root, piles) {
    this.root = root;
    this.piles = piles;
    this.pile = "stock"; // the pile that had the focus last
    root.addEventListener("focusin", ({ target }) => {
      const at = target.closest("[data-place]");
      if (at) this.#makeTabbable(at);
    });
  }

  /** The focused place, or null. */
  get at() {
    const { activeElement } = document;
    return this.root.contains(activeElement) ? activeElement.closest("[data-place]") : null;
  }

  /** Focuses the end of a pile. */
  goTo(pile) {
    this.piles.endOf(pile).focus({ preventScroll: true });
  }

  /** Handles an arrow key. @returns {boolean} whether it was used; otherwise it scrolls the page */
  handleArrow({ key, shiftKey }) {
    const { at } = this;
    const page = document.documentElement;
    const scrolls = page.scrollHeight > page.clientHeight;
    if (shiftKey || (!at && scrolls)) return false;
    const to = at ? this.#next(at, key) : this.piles.endOf(this.pile);
    to.focus({ preventScroll: !scrolls });
    return true;
  }

  /** The target of an arrow key: the ends of neighbouring piles, and up and down a column. */
  #next(at, key) {
    const { piles } = this;
    const pile = piles.pileOf(at);
    const row = TOP_ROW.includes(pile) ? TOP_ROW : COLUMNS;
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const step = key === "ArrowLeft" ? row.length - 1 : 1;
      return piles.endOf(row[(row.indexOf(pile) + step) % row.length]);
    }
    const cards = piles.faceUpPlaces(at);
    const index = cards.indexOf(at);
    if (key === "ArrowUp") return cards[index - 1] ?? piles.endOf(ABOVE[pile] ?? pile);
    return row === TOP_ROW ? piles.endOf(BELOW[pile]) : (cards[index + 1] ?? at);
  }

  #makeTabbable(to) {
    this.pile = this.piles.pileOf(to);
    for (const at of this.root.querySelectorAll("[data-place]")) at.tabIndex = at === to ? 0 : -1;
  }

  /** Before a view is drawn, returns the focused place, its pile, and whether it is the pile's end. */
  focusedPlace() {
    const { at, piles } = this;
    const pile = at && piles.pileOf(at);
    return at && { at, pile, end: piles.endOf(pile) === at };
  }

  /** After it is drawn, restores the focus to the same place, or the pile's end. */
  restore(oldFocus) {
    const { piles } = this;
    if (!oldFocus) {
      this.#makeTabbable(piles.endOf(this.pile));
      return;
    }
    const isStillThere = !oldFocus.end && oldFocus.at.isConnected && piles.pileOf(oldFocus.at) === oldFocus.pile;
    const at = isStillThere ? oldFocus.at : piles.endOf(oldFocus.pile);
    if (document.activeElement !== at) at.focus({ preventScroll: true });
    this.#makeTabbable(at);
  }
}
