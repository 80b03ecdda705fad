/** Determines which cards fit on which piles, from the visible cards only. */

import { packOf } from "./packs.js";

const rankOf = (card, view) => packOf(view).ranks.indexOf(card.slice(0, -1));

const isRed = (card) => "cdHD".includes(card.slice(-1));

/** Whether a card fits on another card of a column. */
export function fitsOn(card, target, view) {
  const rank = rankOf(card, view);
  return rank >= (view.ace_on_two ? 0 : 1) && rankOf(target, view) === rank + 1 && isRed(card) !== isRed(target);
}

/** Whether a card goes to a column: on its last card, or as a king to an empty one. */
export function goesToColumn(card, { down, up }, view) {
  if (up.length) return fitsOn(card, up.at(-1), view);
  return !down && rankOf(card, view) === packOf(view).ranks.length - 1;
}

/** Whether a card goes to a foundation with this top card: on the one of its suit, or as an ace to an empty one. */
export function goesHome(card, top, view) {
  if (!top) return rankOf(card, view) === 0;
  return top.slice(-1) === card.slice(-1) && rankOf(card, view) === rankOf(top, view) + 1;
}

/** The piles, other than its own, where a card with `count - 1` cards on it goes. */
export function targetsOf(card, ownPile, count, view) {
  const pilesFor = (piles, canGo, letter) =>
    piles.map((pile, index) => (canGo(card, pile, view) ? `${letter}${index + 1}` : "")).filter((name) => name && name !== ownPile);
  const foundations = count === 1 ? pilesFor(view.foundations, goesHome, "f") : [];
  return [...pilesFor(view.columns, goesToColumn, "c"), ...foundations];
}
