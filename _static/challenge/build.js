/**
 * Builds the elements of the table and the cards.
 *
 * The places are a button with `data-place` for each card of the own hand, by the card's name, such as `10S`, and
 * `table`, where cards are dropped. Each suit of a hand has its own row.
 */

import { make } from "../cardlab/elements.js";
import { picture } from "../cardlab/pictures.js";

export const RANKS = ["A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2"];
export const SUITS = ["S", "H", "C", "D"];
export const SIGNS = { S: "♠", H: "♥", C: "♣", D: "♦" };
const BACK = picture("solitario/back.svg");
const IDS = [
  ...["arena", "plate-far", "heard-far", "hand-far", "heard-table", "table", "table-words", "plate-near", "hand-near"],
  ...["status", "news", "advice", "warning", "deadline", "answers", "pick-up", "offer", "claim", "consult"],
  ...["back-up", "pass", "setup", "resign", "line", "typed", "window", "commands", "leave", "stay"],
];

export const suitOf = (card) => card.at(-1);
export const rankOf = (card) => card.slice(0, -1);

/** The address of a card's face, which Solitario shares. */
const faceAddress = (card) => picture(`solitario/french/${card}.svg`);

/** The number of cards of each suit in the pack of a view. */
export const sizeOf = ({ hands, table_count: table }) =>
  Math.ceil(Object.values(hands).reduce((sum, count) => sum + count, table) / SUITS.length);

/** Preloads all cards of the pack, which reveals nothing about the deal. */
export function preload(size) {
  const cards = SUITS.flatMap((suit) => RANKS.slice(0, size).map((rank) => rank + suit));
  return cards.map((card) => Object.assign(new Image(), { src: faceAddress(card) }));
}

/**
 * Collects the board's elements, and builds the rows of suits.
 * @param {HTMLElement} root the board of `_templates/challenge/Board.html`
 * @returns {Record<string, any>} elements by their ids, and rows of a hand by their suits
 */
export function build(root) {
  const parts = Object.fromEntries(IDS.map((id) => [id, root.querySelector(`#${id}`)]));
  const rows = (hand) =>
    Object.fromEntries(
      SUITS.map((suit) => {
        const row = make("div.suit", { suit, sign: SIGNS[suit] });
        parts[hand].append(row);
        return [suit, row];
      }),
    );
  return { ...parts, stack: root.querySelector(".table-pile"), near: rows("hand-near"), far: rows("hand-far") };
}

/** Creates a face-up card; without a name, a card back. */
export function makeCard(card) {
  const image = Object.assign(make("img"), { src: card ? faceAddress(card) : BACK, alt: "", draggable: false });
  return make("span.card", card ? { card } : {}, image);
}

/** Creates the place of a card of the own hand. */
export function makePlace(card) {
  const place = make("button.place", { place: card }, makeCard(card));
  return Object.assign(place, { type: "button", tabIndex: -1 });
}
