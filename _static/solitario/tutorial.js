/** The tasks of the instructions, and the coach's sentences. */

import { words } from "../cardlab/page_texts.js";
import { fitsOn } from "./fitting.js";
import { packOf } from "./packs.js";

/** Selects the first card that fits on another column; with `uncovers`, only if a face-down card lies under it. */
function movableSelector({ view }, uncovers = false) {
  const lastCards = view.columns.flatMap(({ up }) => up.slice(-1));
  const firstCards = view.columns.filter(({ down, up }) => up.length === 1 && (!uncovers || down)).map(({ up }) => up[0]);
  const movableCard = firstCards.find((card) => lastCards.some((last) => fitsOn(card, last, view)));
  return movableCard ? `.column [data-card="${movableCard}"]` : "";
}

/** Selects an ace that can be played. */
const freeAce = ({ view }) =>
  view.columns
    .flatMap(({ up }) => up.slice(-1))
    .filter((card) => card.slice(0, -1) === packOf(view).ranks[0])
    .map((card) => `.column [data-card="${card}"]`)[0] ?? "";

/** Whether an event of the score has happened since the step began. */
const hasHappened =
  (event) =>
  ({ view }, _refused, since) =>
    view.counts[event] > since.view.counts[event];

export const tasks = {
  column: {
    light: (state) => movableSelector(state),
    ask: (state) => requestFor(state, words.ask_column),
    done: ({ next, view }, _refused, since) => next > since.next && /^move \d/.test(view.last),
    praise: () => words.praise_column,
  },
  uncover: {
    newDeal: true,
    light: (state) => (canTurnUp(state) ? ".column-base[data-can-turn] .card:last-child" : movableSelector(state, true)),
    ask: (state) => requestFor(state, canTurnUp(state) ? words.ask_turn_up : words.ask_uncover),
    done: hasHappened("turned_up"),
    praise: () => words.praise_uncover,
  },
  home: {
    newDeal: true,
    light: freeAce,
    ask: (state) => requestFor(state, words.ask_home),
    done: hasHappened("sent_home"),
    praise: () => words.praise_home,
  },
  stock: {
    newDeal: true,
    light: () => "[data-place=stock], [data-place=stock] + .label",
    ask: (state) => requestFor(state, words.ask_stock),
    done: ({ next, view }, _refused, since) => next > since.next && view.last === "draw",
    praise: () => words.praise_stock,
  },
  points: {
    newDeal: true,
    light: () => ".pile:has([data-place=stock], [data-place=w]) > *",
    ask: (state) => requestFor(state, words.ask_points),
    done: hasHappened("from_stock"),
    praise: () => words.praise_points,
  },
};

/** Whether a face-down card can be turned up. */
const canTurnUp = ({ view }) => view.columns.some(({ down, up }) => down > 0 && !up.length);

function requestFor({ over }, sentence) {
  return over === null ? sentence : words.all_over;
}
