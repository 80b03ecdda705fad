/**
 * Maps places to piles and actions. A pile is `stock`, `w`, `f1`…`f4` or `c1`…`c7`; the places are those of build.js.
 */

export class Piles {
  /** @param {HTMLElement} root the board, built */
  constructor(root) {
    this.root = root;
  }

  at(place) {
    return this.root.querySelector(`[data-place="${place}"]`);
  }

  /** The pile that a place belongs to: the place itself, or `c3` for a card of column 3. */
  pileOf(at) {
    return at.closest(".column")?.querySelector(".column-base").dataset.place ?? at.dataset.place;
  }

  /** The places of the face-up cards in the column of a place, from its base. */
  faceUpPlaces(at) {
    return [...(at.closest(".column")?.querySelectorAll(".face-up") ?? [])];
  }

  /** The place at the end of a pile; of a column, its last card. */
  endOf(pile) {
    const at = this.at(pile);
    return this.faceUpPlaces(at).at(-1) ?? at;
  }

  /**
   * The cards that a move takes from a place.
   * @returns {{pile: string, name: string, count: number} | null} `name` in actions: a column, `w`, a suit
   */
  cardsFrom(at, view) {
    const pile = this.pileOf(at);
    if (pile === "w") return view.waste_count ? { pile, name: "w", count: 1 } : null;
    const number = pile.slice(1);
    if (isFoundation(pile)) {
      const card = view.foundations[number - 1];
      return card && { pile, name: card.slice(-1), count: 1 };
    }
    const { up } = isColumn(pile) ? view.columns[number - 1] : { up: [] };
    const index = up.indexOf(at.dataset.place);
    return index < 0 ? null : { pile, name: number, count: up.length - index };
  }

  /** The place of an action. */
  placeOf(action, view) {
    const [verb, from, to, count = 1] = action.split(" ");
    if (verb === "draw" || verb === "turn") return this.at("stock");
    if (verb === "up") return this.at(`c${from}`);
    if (from === "w") return this.at("w");
    const column = view.columns[from - 1];
    if (column) return this.at(column.up.at(-(verb === "move" ? count : 1)) ?? `c${from}`);
    const foundation = view.foundations.findIndex((card) => card?.slice(-1) === from);
    return foundation < 0 ? this.at(`c${to}`) : this.at(`f${foundation + 1}`);
  }

  /** Whether a place has the same cards to take in two views. */
  isUnchanged(at, before, view) {
    if (!this.root.contains(at)) return false; // the card has left the columns
    const pile = this.pileOf(at);
    if (pile === "w") return before.waste_count === view.waste_count && before.waste.at(-1) === view.waste.at(-1);
    if (isFoundation(pile)) return before.foundations[pile[1] - 1] === view.foundations[pile[1] - 1];
    const [oldCards, newCards] = [before, view].map(({ columns }) => columns[pile[1] - 1].up);
    const from = newCards.indexOf(at.dataset.place);
    return from >= 0 && from === oldCards.indexOf(at.dataset.place) && newCards.slice(from).join() === oldCards.slice(from).join();
  }
}

export const isColumn = (pile) => pile.startsWith("c");
export const isFoundation = (pile) => pile.startsWith("f");
