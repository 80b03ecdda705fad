/** Predicts the moves of Target the Two whose result is known. */

import { KEEPER_AT, PLACE_FOR, PLACE_OF, otherKeeper } from "./places.js";

const RED = /[HD]$/;
const KEEPERS = Object.values(KEEPER_AT);

/**
 * The view after a move of the own keeper on turn; null if it is another action, or not surely legal, or if a card turns
 * up that is not known.
 * @param {object} view
 * @param {string} action
 * @param {{ViewCard: string, ViewCkNk: boolean}} options of the hand, as in the record
 */
export function predict(view, action, { ViewCard: seen, ViewCkNk: areFaceUp }) {
  const { seat, turn } = view;
  const isMove = action === "P" || action in PLACE_FOR;
  if (!isMove || turn === null || (seat && seat !== turn)) return null;
  if (action === "T" && !(view.goal && fits(view.cards[PLACE_OF[turn]], view.cards.T, turn))) return null;
  const next = otherKeeper(turn);
  const open = keepersToSee(view, action, seen, seat ?? next);
  const cards = cardsAfter(view, action, areFaceUp ? open : []);
  if (!cards) return null;
  const over = view.left === 1 || cards.T === view.goal;
  const after = { moves: view.moves + 1, left: view.left - 1, last: action };
  const looks = seat || over || areFaceUp ? [] : open;
  const common = { ...view, cards, ...after, turn: over ? null : next, may_look: looks };
  if (!seat) return common;
  const both = { waiting_for: over ? [] : [next], played: view.played + action, passed_for: null, before_last: null };
  return { ...common, ...both };
}

/** Whether a keeper may exchange a card with that in Target, as far as both are known. */
function fits(card, target, keeper) {
  if (!card) return false;
  return keeper === "ck" ? RED.test(card) === RED.test(target) : card.slice(0, -1) === target.slice(0, -1);
}

/** The keepers whose cards a player may see after the action; `own` is the keeper played or on turn next. */
function keepersToSee({ cards, may_look: mayLook, turn }, action, seen, own) {
  const other = otherKeeper(turn);
  const sawBoth = mayLook.includes(other) || cards[PLACE_OF[other]] !== null;
  const isOpen = seen === "all" || (seen === "mix" && (action !== "P" || sawBoth));
  return KEEPERS.filter((keeper) => isOpen || keeper === own);
}

/** The visible cards after a move, with these keepers' cards face up; null if one of them is not known. */
function cardsAfter({ cards, turn }, action, faceUp) {
  const [own, other] = [PLACE_OF[turn], PLACE_FOR[action] ?? PLACE_OF[turn]];
  const known = { ...cards, [own]: cards[other], [other]: cards[own] };
  const visible = ["UP", "T", ...faceUp.map((keeper) => PLACE_OF[keeper])];
  if (visible.some((place) => known[place] === null)) return null;
  return Object.fromEntries(Object.keys(cards).map((place) => [place, visible.includes(place) ? known[place] : null]));
}
