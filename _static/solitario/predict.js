/** Predicts the moves of Solitario between face-up cards. */

import { goesHome, goesToColumn } from "./fitting.js";
import { packOf } from "./packs.js";

const MAX_MOVES = 5000; // of a hand, as in the rules
const POINTS = { from_stock: 45, sent_home: 60, brought_back: -75, turn_overs: -175 };

/**
 * Returns the view after an action; null if it may be illegal, or reveals a card.
 * @param {object} view
 * @param {string} action
 * @param {{draw: number, turn_up: string}} options of the hand, as in the record
 * @param {(string | null)[]} [waste] the known cards of the waste, the top card last; null for unknown ones
 */
export function predict(view, action, options, waste = []) {
  const [verb, ...rest] = action.split(" ");
  if (!(verb in MOVES) || view.moves >= MAX_MOVES || (verb === "finish" && action !== view.finish)) return null;
  const changes = MOVES[verb](view, rest, { ...options, known: waste });
  if (!changes) return null;
  const after = { ...view, ...changes, moves: view.moves + 1, last: action };
  if (view.may_undo !== null) after.may_undo = true;
  return { ...after, finish: finishOf(after) };
}

const MOVES = { finish: sendHome, home: sendHome, move: moveToColumn, back: moveBack, turn: turnOver };

function sendHome(view, [from, place], options) {
  const source = take(view, from, 1, options);
  if (!source) return moveAce(view, from, place);
  const [card] = source.cards;
  const ownIndex = view.foundations.findIndex((top) => top?.slice(-1) === card.slice(-1));
  const index = ownIndex >= 0 ? ownIndex : place ? place - 1 : view.foundations.indexOf(null);
  const top = view.foundations[index];
  if ((ownIndex >= 0 && place && Number(place) !== ownIndex + 1) || !goesHome(card, top, view)) return null;
  const foundations = replaceAt(view.foundations, index, card);
  return { ...source.rest, foundations, cards_home: view.cards_home + 1, ...scoreAfter(view, "sent_home") };
}

/** Moves an ace to another foundation. */
function moveAce(view, suit, place) {
  const from = view.foundations.indexOf(packOf(view).ranks[0] + suit);
  if (from < 0 || !place || view.foundations[place - 1]) return null;
  return { foundations: replaceAt(replaceAt(view.foundations, place - 1, view.foundations[from]), from, null) };
}

function moveToColumn(view, [from, to, count = "1"], options) {
  const source = from === to ? null : take(view, from, Number(count), options);
  if (!source || !goesToColumn(source.cards[0], view.columns[to - 1], view)) return null;
  const columns = withCards(source.rest.columns ?? view.columns, to, source.cards);
  return { ...source.rest, columns, ...(from === "w" ? scoreAfter(view, "from_stock") : {}) };
}

function moveBack(view, [suit, to]) {
  const index = view.foundations.findIndex((top) => top?.slice(-1) === suit);
  const card = view.foundations[index];
  if (!card || !goesToColumn(card, view.columns[to - 1], view)) return null;
  const { ranks } = packOf(view);
  const rank = ranks.indexOf(card.slice(0, -1));
  const foundations = replaceAt(view.foundations, index, rank ? ranks[rank - 1] + suit : null);
  const columns = withCards(view.columns, to, [card]);
  return { columns, foundations, cards_home: view.cards_home - 1, ...scoreAfter(view, "brought_back") };
}

function turnOver(view) {
  if (view.stock || !view.waste_count) return null;
  return { waste: [], waste_count: 0, stock: view.waste_count, ...scoreAfter(view, "turn_overs") };
}

/** Takes the last cards of a column, or the top card of the waste. Returns null if that reveals an unknown card. */
function take(view, from, count, options) {
  if (from === "w") return takeFromWaste(view, options);
  const column = view.columns[from - 1];
  if (!column || count > column.up.length) return null;
  if (options.turn_up === "auto" && count === column.up.length && column.down) return null;
  const rest = { ...column, up: column.up.slice(0, -count) };
  return { cards: column.up.slice(-count), rest: { columns: replaceAt(view.columns, from - 1, rest) } };
}

function takeFromWaste(view, { draw, known: seenWaste }) {
  const { waste, waste_count: count } = view;
  if (!count) return null;
  const isSame = seenWaste.length === count && seenWaste.slice(-waste.length).join() === waste.join();
  const left = (isSame ? seenWaste : waste).slice(0, -1).slice(-draw);
  if (left.length < Math.min(draw, count - 1) || left.includes(null)) return null;
  return { cards: waste.slice(-1), rest: { waste: left, waste_count: count - 1 } };
}

/** Returns a copy of a list with another item at an index. */
function replaceAt(list, index, item) {
  return list.map((old, place) => (place === index ? item : old));
}

function withCards(columns, to, cards) {
  const { down, up } = columns[to - 1];
  return replaceAt(columns, to - 1, { down, up: [...up, ...cards] });
}

function scoreAfter({ counts, points }, event) {
  return { counts: { ...counts, [event]: counts[event] + 1 }, points: points + POINTS[event] };
}

/** The next action that finishes the hand, once all cards that are not home lie face up in columns; else null. */
function finishOf(view) {
  const remaining = view.cards - view.cards_home;
  const isHidden = view.stock || view.waste_count || view.columns.some(({ down }) => down);
  if (!remaining || isHidden || view.moves + remaining > MAX_MOVES) return null;
  const isNext = (card) => view.foundations.some((top) => goesHome(card, top, view));
  const number = view.columns.findIndex(({ up }) => up.length && isNext(up.at(-1)));
  return number < 0 ? null : `finish ${number + 1}`;
}
