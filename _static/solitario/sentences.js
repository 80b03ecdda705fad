/** The board's sentences about cards and piles, from the visible cards only. */

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

  /** The label of a column's base: its face-down cards, or that it is empty. */
  ground(number, { down, up }) {
    const { words } = this;
    if (!down) return fill(up.length ? words.column : words.column_empty, { number });
    return fill(up.length ? words.column_down : words.column_turns, { number, count: down });
  }

  /** A face-up card of a column, the `at`-th from its base. */
  faceUpCard(card, number, at) {
    return fill(this.words.lying, { card: this.card(card), number, at });
  }

  /** Says that a card is selected, with `count` cards on it. */
  selected(card, count) {
    const { words } = this;
    return fill(count ? words.held_run : words.held, { card: this.card(card), count });
  }

  /** Describes the deal. */
  start(view) {
    return fill(this.words.start, { home: view.cards_home, of: view.cards, stock: view.stock });
  }

  /** Describes the changes between two views. */
  news(before, view) {
    if (view.moves === before.moves) return "";
    const [verb, ...rest] = view.last.split(" ");
    return [this.#moveText(verb, rest, before, view), ...this.#turnedUpTexts(verb, before, view)].filter(Boolean).join(" ");
  }

  #moveText(verb, rest, before, view) {
    const { words } = this;
    const card = (name) => name && this.card(name);
    switch (verb) {
      case "draw":
        return fill(words.drawn, { card: card(view.waste.at(-1)), count: view.stock });
      case "turn":
        return fill(words.turned_over, { count: view.stock });
      case "home":
      case "finish": {
        const index = view.foundations.findIndex((top, at) => top !== null && top !== before.foundations[at]);
        const values = { card: card(view.foundations[index]), home: view.cards_home, of: view.cards };
        return index < 0 ? "" : fill(words.sent_home, values);
      }
      case "move": {
        const [, to, count = 1] = rest;
        const movedCard = view.columns[to - 1].up.at(-count);
        return fill(count > 1 ? words.moved_run : words.moved, { card: card(movedCard), number: to, count: count - 1 });
      }
      case "back":
        return fill(words.brought_back, { card: card(view.columns[rest[1] - 1].up.at(-1)), number: rest[1] });
      case "undo":
        return words.undone;
      default:
        return "";
    }
  }

  #turnedUpTexts(verb, before, view) {
    if (verb === "undo") return [];
    return view.columns.flatMap(({ down, up }, index) => {
      const isTurnedUp = down === before.columns[index].down - 1;
      return isTurnedUp ? [fill(this.words.turned_up, { card: this.card(up[0]), number: index + 1 })] : [];
    });
  }
}
