/** The table to try on the instructions page: what is to be done in each step, and what the coach says. */

import { words } from "../cardlab/words.js";


/** Whether an event of the score has happened since the step began. */
const more =
  (event) =>
  ({ view }, _refused, since) =>
    view.counts[event] > since.view.counts[event];

export const tasks = {
  column: {
    ask: (state) => asked(state, words.ask_column),
    done: ({ next, view }, _refused, since) => next > since.next && /^move \d/.test(view.last),
    praise: () => words.praise_column,
  },
  uncover: {
    newDeal: true,
    ask: (state) => asked(state, uncovered(state) ? words.ask_turn_up : words.ask_uncover),
    done: more("turned_up"),
    praise: () => words.praise_uncover,
  },
  home: {
    newDeal: true,
    ask: (state) => asked(state, words.ask_home),
    done: more("sent_home"),
    praise: () => words.praise_home,
  },
  stock: {
    newDeal: true,
    ask: (state) => asked(state, words.ask_stock),
    done: ({ next, view }, _refused, since) => next > since.next && view.last === "draw",
    praise: () => words.praise_stock,
  },
  points: {
    newDeal: true,
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
