/** What the table says of cards and piles. All of it follows from what is seen. */

import { fill } from "../cardlab/text.js";

export class Sentences {
  constructor(words) {
    this.words = words;
  }

  /** The card by name: "king of coins". */
  card(card) {
    return this.words[card];
  }

  stock({ stock, waste_count: waste }) {
    const { words } = this;
    if (stock) return fill(words.stock, { count: stock });
    return waste ? words.stock_turns : words.stock_empty;
  }

  waste({ waste, waste_count: count }) {
    const { words } = this;
    return count ? fill(words.waste, { card: this.card(waste.at(-1)), count }) : words.waste_empty;
  }

  foundation(number, card) {
    const { words } = this;
    return card ? fill(words.foundation, { number, card: this.card(card) }) : fill(words.foundation_empty, { number });
  }

  /** What lies face down in a column, or that it is empty. */
  ground(number, { down, up }) {
    const { words } = this;
    if (!down) return fill(up.length ? words.column : words.column_empty, { number });
    return fill(up.length ? words.column_down : words.column_turns, { number, count: down });
  }

  /** A face-up card of a column, which is the `at`-th from its ground. */
  lying(card, number, at) {
    return fill(this.words.lying, { card: this.card(card), number, at });
  }

  /** That a card, and what lies on it, is held. */
  held(card, more) {
    const { words } = this;
    return fill(more ? words.held_run : words.held, { card: this.card(card), count: more });
  }

  /** How the table stands at first. */
  start(view) {
    return fill(this.words.start, { home: view.cards_home, of: view.cards, stock: view.stock });
  }

  /** What a view has brought since the one before. */
  news(before, view) {
    if (view.moves === before.moves) return "";
    const [what, ...rest] = view.last.split(" ");
    return [this.#moved(what, rest, before, view), ...this.#turnedUp(what, before, view)].filter(Boolean).join(" ");
  }

  #moved(what, rest, before, view) {
    const { words } = this;
    const card = (name) => name && this.card(name);
    switch (what) {
      case "draw":
        return fill(words.drawn, { card: card(view.waste.at(-1)), count: view.stock });
      case "turn":
        return fill(words.turned_over, { count: view.stock });
      case "home":
      case "finish": {
        const index = view.foundations.findIndex((each, at) => each !== null && each !== before.foundations[at]);
        const values = { card: card(view.foundations[index]), home: view.cards_home, of: view.cards };
        return index < 0 ? "" : fill(words.sent_home, values);
      }
      case "move": {
        const [, to, count = 1] = rest;
        const moved = view.columns[to - 1].up.at(-count);
        return fill(count > 1 ? words.moved_run : words.moved, { card: card(moved), number: to, count: count - 1 });
      }
      case "back":
        return fill(words.brought_back, { card: card(view.columns[rest[1] - 1].up.at(-1)), number: rest[1] });
      case "undo":
        return words.undone;
      default:
        return "";
    }
  }

  #turnedUp(what, before, view) {
    if (what === "undo") return [];
    return view.columns.flatMap(({ down, up }, index) => {
      const turned = down === before.columns[index].down - 1;
      return turned ? [fill(this.words.turned_up, { card: this.card(up[0]), number: index + 1 })] : [];
    });
  }
}
