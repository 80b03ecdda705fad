/**
 * The parts of the table, and the cards.
 *
 * A place is a button with `data-place` for each card of one's own hand, by the card's name, `10S`; and `table`, where
 * cards are dropped. Each suit of a hand has a row of its own, so that it is always found at the same spot.
 */

import { make } from "../cardlab/elements.js";
import { picture } from "../cardlab/pictures.js";

export const RANKS = ["A", "K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2"];
export const SUITS = ["S", "H", "C", "D"];
export const SIGNS = { S: "♠", H: "♥", C: "♣", D: "♦" };
const BACK = picture("solitario/back.svg");
const IDS = [
  ...["plate-far", "heard-far", "hand-far", "heard-table", "table", "table-words", "plate-near", "hand-near"],
  ...["status", "news", "advice", "warning", "deadline", "answers", "pick-up", "offer", "claim", "consult"],
  ...["back-up", "pass", "setup", "resign", "line", "typed", "window", "commands", "leave", "stay"],
];

export const suitOf = (card) => card.at(-1);
export const rankOf = (card) => card.slice(0, -1);

/** The address of a card's face: the French cards that the house has. */
const face = (card) => picture(`solitario/french/${card}.svg`);

/** How many cards of each suit the pack of a view has. */
export const sizeOf = ({ hands, table_count: table }) =>
  Math.ceil(Object.values(hands).reduce((sum, count) => sum + count, table) / SUITS.length);

/** All cards of the pack loaded ahead, so that each is there at once: that tells nobody anything. */
export function preload(size) {
  const cards = SUITS.flatMap((suit) => RANKS.slice(0, size).map((rank) => rank + suit));
  return cards.map((card) => Object.assign(new Image(), { src: face(card) }));
}

/**
 * Collect the parts, and build the rows of the suits.
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

/** A card, face up; without a name its back. */
export function makeCard(card) {
  const image = Object.assign(make("img"), { src: card ? face(card) : BACK, alt: "", draggable: false });
  return make("span.card", card ? { card } : {}, image);
}

/** Where a card of one's own hand lies. `reach` is as high as the card, of which another row may cover a part. */
export function makePlace(card) {
  const place = make("button.place", { place: card }, make("span.hit-area"), makeCard(card));
  return Object.assign(place, { type: "button", tabIndex: -1 });
}
