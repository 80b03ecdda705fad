/** The table to try on the instructions page: what is to be done in each step, and what the coach says. */

import { words } from "../cardlab/page_texts.js";
import { fits } from "./fitting.js";
import { packOf } from "./packs.js";

/** Selects the first card that fits on another column; with `alone` of one with no other face-up card. */
function movable({ view }, alone = false) {
  const lasts = view.columns.flatMap(({ up }) => up.slice(-1));
  const firsts = view.columns.filter(({ down, up }) => up.length === 1 && (!alone || down)).map(({ up }) => up[0]);
  const found = firsts.find((card) => lasts.some((on) => fits(card, on, view)));
  return found ? `.column [data-card="${found}"]` : "";
}

/** Selects an ace that is free. */
const freeAce = ({ view }) =>
  view.columns
    .flatMap(({ up }) => up.slice(-1))
    .filter((card) => card.slice(0, -1) === packOf(view).ranks[0])
    .map((card) => `.column [data-card="${card}"]`)[0] ?? "";

/** Whether an event of the score has happened since the step began. */
const more =
  (event) =>
  ({ view }, _refused, since) =>
    view.counts[event] > since.view.counts[event];

export const tasks = {
  column: {
    light: (state) => movable(state),
    ask: (state) => asked(state, words.ask_column),
    done: ({ next, view }, _refused, since) => next > since.next && /^move \d/.test(view.last),
    praise: () => words.praise_column,
  },
  uncover: {
    newDeal: true,
    light: (state) => (uncovered(state) ? ".column-base[data-can-turn] .card:last-child" : movable(state, true)),
    ask: (state) => asked(state, uncovered(state) ? words.ask_turn_up : words.ask_uncover),
    done: more("turned_up"),
    praise: () => words.praise_uncover,
  },
  home: {
    newDeal: true,
    light: freeAce,
    ask: (state) => asked(state, words.ask_home),
    done: more("sent_home"),
    praise: () => words.praise_home,
  },
  stock: {
    newDeal: true,
    light: () => "[data-place=stock]",
    ask: (state) => asked(state, words.ask_stock),
    done: ({ next, view }, _refused, since) => next > since.next && view.last === "draw",
    praise: () => words.praise_stock,
  },
  points: {
    newDeal: true,
    light: () => "[data-place=stock], [data-place=w]",
    ask: (state) => asked(state, words.ask_points),
    done: more("from_stock"),
    praise: () => words.praise_points,
  },
};

/** Whether a face-down card waits to be turned up. */
const uncovered = ({ view }) => view.columns.some(({ down, up }) => down > 0 && !up.length);

function asked({ over }, sentence) {
  return over === null ? sentence : words.all_over;
}
