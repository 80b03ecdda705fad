/** Predicts the moves of Solitario whose result is known: between cards that lie open. */

import { goesHome, goesToColumn } from "./fitting.js";
import { packOf } from "./packs.js";

const MAX_MOVES = 5000; // of a hand, as in the rules
const POINTS = { from_stock: 45, sent_home: 60, brought_back: -75, turn_overs: -175 };

/**
 * The view after an action; null if it is not surely legal, or turns a card up.
 * @param {object} view
 * @param {string} action
 * @param {{draw: number, turn_up: string}} options of the hand, as in the record
 * @param {(string | null)[]} [waste] the cards of the waste that were seen before, the top card last, null for others
 */
export function predict(view, action, options, waste = []) {
  const [verb, ...rest] = action.split(" ");
  if (!(verb in MOVES) || view.moves >= MAX_MOVES || (verb === "finish" && action !== view.finish)) return null;
  const changed = MOVES[verb](view, rest, { ...options, known: waste });
  if (!changed) return null;
  const after = { ...view, ...changed, moves: view.moves + 1, last: action };
  if (view.may_undo !== null) after.may_undo = true;
  return { ...after, finish: finishOf(after) };
}

const MOVES = { finish: sendHome, home: sendHome, move, back, turn };

function sendHome(view, [from, place], options) {
  const source = take(view, from, 1, options);
  if (!source) return shift(view, from, place);
  const [card] = source.cards;
  const own = view.foundations.findIndex((top) => top?.slice(-1) === card.slice(-1));
  const at = own >= 0 ? own : place ? place - 1 : view.foundations.indexOf(null);
  const top = view.foundations[at];
  if ((own >= 0 && place && Number(place) !== own + 1) || !goesHome(card, top, view)) return null;
  const foundations = put(view.foundations, at, card);
  return { ...source.rest, foundations, cards_home: view.cards_home + 1, ...scored(view, "sent_home") };
}

/** Moves an ace to another foundation. */
function shift(view, suit, place) {
  const from = view.foundations.indexOf(packOf(view).ranks[0] + suit);
  if (from < 0 || !place || view.foundations[place - 1]) return null;
  return { foundations: put(put(view.foundations, place - 1, view.foundations[from]), from, null) };
}

function move(view, [from, to, count = "1"], options) {
  const source = from === to ? null : take(view, from, Number(count), options);
  if (!source || !goesToColumn(source.cards[0], view.columns[to - 1], view)) return null;
  const columns = laid(source.rest.columns ?? view.columns, to, source.cards);
  return { ...source.rest, columns, ...(from === "w" ? scored(view, "from_stock") : {}) };
}

function back(view, [suit, to]) {
  const at = view.foundations.findIndex((top) => top?.slice(-1) === suit);
  const card = view.foundations[at];
  if (!card || !goesToColumn(card, view.columns[to - 1], view)) return null;
  const { ranks } = packOf(view);
  const rank = ranks.indexOf(card.slice(0, -1));
  const foundations = put(view.foundations, at, rank ? ranks[rank - 1] + suit : null);
  const columns = laid(view.columns, to, [card]);
  return { columns, foundations, cards_home: view.cards_home - 1, ...scored(view, "brought_back") };
}

function turn(view) {
  if (view.stock || !view.waste_count) return null;
  return { waste: [], waste_count: 0, stock: view.waste_count, ...scored(view, "turn_overs") };
}

/** Takes the last cards of a column, or the top card of the waste. Returns null if that shows a card not known. */
function take(view, from, count, options) {
  if (from === "w") return takeFromWaste(view, options);
  const column = view.columns[from - 1];
  if (!column || count > column.up.length) return null;
  if (options.turn_up === "auto" && count === column.up.length && column.down) return null;
  const rest = { ...column, up: column.up.slice(0, -count) };
  return { cards: column.up.slice(-count), rest: { columns: put(view.columns, from - 1, rest) } };
}

function takeFromWaste(view, { draw, known }) {
  const { waste, waste_count: count } = view;
  if (!count) return null;
  const isSame = known.length === count && known.slice(-waste.length).join() === waste.join();
  const left = (isSame ? known : waste).slice(0, -1).slice(-draw);
  if (left.length < Math.min(draw, count - 1) || left.includes(null)) return null;
  return { cards: waste.slice(-1), rest: { waste: left, waste_count: count - 1 } };
}

/** A list with another item at an index. */
function put(list, at, item) {
  return list.map((each, index) => (index === at ? item : each));
}

function laid(columns, to, cards) {
  const { down, up } = columns[to - 1];
  return put(columns, to - 1, { down, up: [...up, ...cards] });
}

function scored({ counts, points }, event) {
  return { counts: { ...counts, [event]: counts[event] + 1 }, points: points + POINTS[event] };
}

/** The next action that finishes the hand, once all cards that are not home lie face up in columns; else null. */
function finishOf(view) {
  const left = view.cards - view.cards_home;
  const isHidden = view.stock || view.waste_count || view.columns.some(({ down }) => down);
  if (!left || isHidden || view.moves + left > MAX_MOVES) return null;
  const isNext = (card) => view.foundations.some((top) => goesHome(card, top, view));
  const number = view.columns.findIndex(({ up }) => up.length && isNext(up.at(-1)));
  return number < 0 ? null : `finish ${number + 1}`;
}
