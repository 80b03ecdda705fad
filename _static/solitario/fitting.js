/** Which cards go where, as far as the visible cards tell. */

import { packOf } from "./packs.js";

const rankOf = (card, view) => packOf(view).ranks.indexOf(card.slice(0, -1));

const isRed = (card) => "cdHD".includes(card.slice(-1));

/** Whether a card goes on another one of a column. */
export function fits(card, on, view) {
  const rank = rankOf(card, view);
  return rank >= (view.ace_on_two ? 0 : 1) && rankOf(on, view) === rank + 1 && isRed(card) !== isRed(on);
}

/** Whether a card goes to a column: on its last card, or as a king to an empty one. */
export function goesToColumn(card, { down, up }, view) {
  if (up.length) return fits(card, up.at(-1), view);
  return !down && rankOf(card, view) === packOf(view).ranks.length - 1;
}

/** Whether a card goes to a foundation with this top card: on the one of its suit, or as an ace to an empty one. */
export function goesHome(card, top, view) {
  if (!top) return rankOf(card, view) === 0;
  return top.slice(-1) === card.slice(-1) && rankOf(card, view) === rankOf(top, view) + 1;
}

/** The piles, other than its own, where a card with `count - 1` cards on it goes. */
export function targetsOf(card, own, count, view) {
  const fitting = (piles, goes, letter) =>
    piles.map((pile, index) => (goes(card, pile, view) ? `${letter}${index + 1}` : "")).filter((name) => name && name !== own);
  const homes = count === 1 ? fitting(view.foundations, goesHome, "f") : [];
  return [...fitting(view.columns, goesToColumn, "c"), ...homes];
}
