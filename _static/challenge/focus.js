/** Keyboard navigation of the own hand: Tab reaches one card, and the arrow keys move on. */

import { SUITS, suitOf } from "./build.js";

export class Focus {
  /** @param {HTMLElement} root the board  @param {Record<string, HTMLElement>} rows of one's own hand, by suit */
  constructor(root, rows) {
    this.root = root;
    this.rows = rows;
    this.lastFocus = null; // the card that had the focus last, and its position
    root.addEventListener("focusin", ({ target }) => {
      const at = target.closest("button[data-place]");
      if (at) this.#makeReachable(at);
    });
  }

  /** The focused place, or null. */
  get at() {
    const { activeElement } = document;
    return this.root.contains(activeElement) ? activeElement.closest("button[data-place]") : null;
  }

  #placesOfSuit(suit) {
    return [...this.rows[suit].querySelectorAll("[data-place]")];
  }

  #allPlaces() {
    return SUITS.flatMap((suit) => this.#placesOfSuit(suit));
  }

  #makeReachable(to) {
    const suit = suitOf(to.dataset.place);
    this.lastFocus = { suit, index: this.#placesOfSuit(suit).indexOf(to) };
    for (const at of this.#allPlaces()) at.tabIndex = at === to ? 0 : -1;
  }

  /** Restores the focus after the hand was drawn, and keeps one card reachable by Tab. */
  restore(card) {
    const all = this.#allPlaces();
    if (!all.length) return;
    const sameCard = all.find((at) => at.dataset.place === card);
    const { suit, index } = this.lastFocus ?? { suit: SUITS[0], index: 0 };
    const row = this.#placesOfSuit(suit);
    const at = sameCard ?? row[Math.min(index, row.length - 1)] ?? all[0];
    if (card) at.focus({ preventScroll: true });
    if (card || !all.some((place) => place.tabIndex === 0)) this.#makeReachable(at);
  }

  /** Handles an arrow key. @returns {boolean} whether it was used; otherwise it scrolls the page */
  handleArrow({ key, shiftKey }) {
    const { at } = this;
    const page = document.documentElement;
    const scrolls = page.scrollHeight > page.clientHeight;
    const all = this.#allPlaces();
    if (shiftKey || !all.length || (!at && scrolls)) return false;
    const to = at ? this.#next(at, all, key) : (all.find((place) => place.tabIndex === 0) ?? all[0]);
    to.focus({ preventScroll: !scrolls });
    return true;
  }

  /** Left and right go through all cards, up and down to the suit before and after. */
  #next(at, all, key) {
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const step = key === "ArrowLeft" ? all.length - 1 : 1;
      return all[(all.indexOf(at) + step) % all.length];
    }
    const suits = SUITS.filter((suit) => this.#placesOfSuit(suit).length);
    const suit = suitOf(at.dataset.place);
    const index = this.#placesOfSuit(suit).indexOf(at);
    const row = this.#placesOfSuit(suits[suits.indexOf(suit) + (key === "ArrowUp" ? -1 : 1)] ?? suit);
    return row[Math.min(index, row.length - 1)];
  }
}
