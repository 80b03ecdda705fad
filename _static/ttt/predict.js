/** Predicts the moves of Target the Two whose result is known. */

import { KEEPER_AT, PLACE_FOR, PLACE_OF, otherKeeper } from "./places.js";

const RED = /[HD]$/;
const KEEPERS = Object.values(KEEPER_AT);

/**
 * Returns the view after a move on the participant's turn. Returns null for other actions, if the move may be illegal,
 * or if it reveals an unknown card.
 * @param {object} view
 * @param {string} action
 * @param {{ViewCard: string, ViewCkNk: boolean}} options of the hand, as in the record
 */
export function predict(view, action, { ViewCard: viewCard, ViewCkNk: areFaceUp }) {
  const { seat, turn } = view;
  const isMove = action === "P" || action in PLACE_FOR;
  if (!isMove || turn === null || (seat && seat !== turn)) return null;
  if (action === "T" && !(view.goal && fits(view.cards[PLACE_OF[turn]], view.cards.T, turn))) return null;
  const next = otherKeeper(turn);
  const visibleKeepers = keepersVisibleAfter(view, action, viewCard, seat ?? next);
  const cards = cardsAfter(view, action, areFaceUp ? visibleKeepers : []);
  if (!cards) return null;
  const over = view.left === 1 || cards.T === view.goal;
  const after = { moves: view.moves + 1, left: view.left - 1, last: action };
  const mayLook = seat || over || areFaceUp ? [] : visibleKeepers;
  const common = { ...view, cards, ...after, turn: over ? null : next, may_look: mayLook };
  if (!seat) return common;
  const twoPlayerFields = { waiting_for: over ? [] : [next], played: view.played + action, passed_for: null, before_last: null };
  return { ...common, ...twoPlayerFields };
}

/** Whether a keeper may exchange a card with that in Target, as far as both are known. */
function fits(card, target, keeper) {
  if (!card) return false;
  return keeper === "ck" ? RED.test(card) === RED.test(target) : card.slice(0, -1) === target.slice(0, -1);
}

/** The keepers whose cards a player may see after the action; `own` is the keeper played or on turn next. */
function keepersVisibleAfter({ cards, may_look: mayLook, turn }, action, viewCard, own) {
  const other = otherKeeper(turn);
  const sawBoth = mayLook.includes(other) || cards[PLACE_OF[other]] !== null;
  const isOpen = viewCard === "all" || (viewCard === "mix" && (action !== "P" || sawBoth));
  return KEEPERS.filter((keeper) => isOpen || keeper === own);
}

/** The visible cards after a move, with these keepers' cards face up; null if one of them is not known. */
function cardsAfter({ cards, turn }, action, faceUp) {
  const [own, other] = [PLACE_OF[turn], PLACE_FOR[action] ?? PLACE_OF[turn]];
  const exchanged = { ...cards, [own]: cards[other], [other]: cards[own] };
  const visible = ["UP", "T", ...faceUp.map((keeper) => PLACE_OF[keeper])];
  if (visible.some((place) => exchanged[place] === null)) return null;
  return Object.fromEntries(Object.keys(cards).map((place) => [place, visible.includes(place) ? exchanged[place] : null]));
}
