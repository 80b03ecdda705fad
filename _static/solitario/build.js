/**
 * Builds the elements of the table and the cards.
 *
 * A place is a button with `data-place`: `stock`, `w` (the waste), `f1`…`f4`, `c1`…`c7` (the face-down cards or empty
 * base of a column), and each face-up card of a column by its name, such as `Rd`. The cards of a column are nested: a
 * card's element contains its button and the element of the card on it. So a run moves with its first card.
 */

import { make } from "../cardlab/elements.js";
import { picture } from "../cardlab/pictures.js";
import { packOf } from "./packs.js";

export const NUMBERS = [1, 2, 3, 4, 5, 6, 7];
export const FOUNDATIONS = [1, 2, 3, 4];
export const BACK = picture("solitario/back.svg");

/** The address of a card's face. Italian suits are lower-case, French ones upper-case. */
export const face = (card) => picture(`solitario/${/[A-Z]$/.test(card) ? "french" : "cards"}/${card}.svg`);

/** Preloads all cards of the pack, which reveals nothing about the deal. */
export function preload(view) {
  const { ranks, suits } = packOf(view);
  const cards = [...suits].flatMap((suit) => ranks.map((rank) => rank + suit));
  return cards.map((card) => Object.assign(new Image(), { src: face(card) }));
}

/**
 * Builds the columns, and collects the other elements.
 * @param {HTMLElement} root the board of `_templates/solitario/Board.html`
 * @returns {Record<string, any>} elements, by their ids among other names
 */
export function build(root) {
  const ids = [
    ...["score", "clock", "time", "cards-home", "turn-overs", "moves", "finish", "undo", "give-up"],
    ...["stock-count", "waste", "waste-count", "columns", "leave", "leave-text", "leave-now", "stay"],
  ];
  const at = Object.fromEntries(ids.map((id) => [id, root.querySelector(`#${id}`)]));
  const columns = NUMBERS.map((number) => {
    const ground = button("button.place.column-base", `c${number}`);
    return { at: make("div.column", {}, ground), ground };
  });
  at.columns.replaceChildren(...columns.map((column) => column.at));
  const place = (name) => root.querySelector(`[data-place="${name}"]`);
  return {
    ...at,
    columns,
    stock: place("stock"),
    top: place("w"), // of the waste
    foundations: FOUNDATIONS.map((number) => place(`f${number}`)),
  };
}

/** A face-up card of a column. */
export function makeCard(card) {
  const place = button("button.face-up", card);
  place.append(image(face(card)));
  return make("div.card", { card }, place);
}

/** A card that is no place: face down in a column, or below the top of the waste. */
export function makePlainCard(address, card) {
  return make("span.card", card ? { card } : {}, image(address));
}

function button(kind, place) {
  return Object.assign(make(kind, { place }), { type: "button", tabIndex: -1 });
}

function image(address) {
  return Object.assign(make("img"), { src: address, alt: "", draggable: false });
}
