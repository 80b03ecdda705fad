/** The tasks of the instructions for one player, and the coach's sentences. */

import { fill } from "../cardlab/text.js";
import { words } from "../cardlab/page_texts.js";
import { PLACE_OF, placeSelector } from "./places.js";

const SOLUTION = "CTT"; // the moves that solve the hand
const PLACE_NAMES = { C: words.place_C, T: words.place_T };

let sequence = ""; // the moves shown on this page; "?" for each move before a reload

export const tasks = {
  exchange: moveTask(1, "exchange"),
  look: {
    light: ({ view }) => placeSelector(PLACE_OF[view.turn]),
    ask: ({ view }) => words[`ask_look_${view.turn}`],
    done: ({ view }) => view.turn !== null && view.cards[PLACE_OF[view.turn]] !== null,
    praise: () => words.praise_look,
  },
  number: moveTask(2, "number"),
  colour: moveTask(3, "colour"),
  refused: {
    newDeal: true,
    light: ({ view }) => (view.moves === 0 ? placeSelector("T") : ""),
    ask: ({ view }) => (view.moves === 0 ? words.ask_refused : words.astray),
    done: (_state, refused) => refused !== "",
    praise: () => words.praise_refused,
  },
};

/** The task to make one move of the solution. */
function moveTask(number, name) {
  const before = SOLUTION.slice(0, number - 1);
  return {
    light: ({ over }) => (over === null && before.startsWith(sequence) ? placeSelector(SOLUTION[sequence.length]) : ""),
    ask({ over }) {
      if (over === "failed") return words.used_up;
      if (sequence === before) return words[`ask_${name}`];
      return before.startsWith(sequence) ? fill(words.behind, { place: PLACE_NAMES[SOLUTION[sequence.length]] }) : words.astray;
    },
    done: () => sequence.startsWith(SOLUTION.slice(0, number)),
    praise: () => words[`praise_${name}`],
  };
}

/** Follows the moves in the shown views. */
export function follow(view) {
  if (view.moves === sequence.length + 1) sequence += view.last;
  else if (view.moves !== sequence.length) sequence = view.moves === 0 ? "" : "?".repeat(view.moves);
}
