/** The tasks of the instructions, in a small game, and the coach's sentences. */

import { words } from "../cardlab/page_texts.js";

const counts = new WeakMap(); // by view: how often one has led, and beaten a card, up to it
let last = null; // the view before

/** Count what one has done; the computer's answer may have come in the same view. */
export function follow(view) {
  const before = last && counts.get(last);
  const count = before ? { ...before } : { led: 0, beaten: 0 };
  const played = last?.hand.find((card) => !view.hand.includes(card));
  if (played && view.moves > last.moves) count[last.to_lead ? "led" : "beaten"] += 1;
  counts.set(view, count);
  last = view;
}

const HAND = "#hand-near";

/** A task that is done when one has done something once more than when the step began. */
const once = (name, how, light, more = {}) => ({
  ...more,
  light: ({ over, view }) => (over === null && view.waiting_for.includes(view.seat) ? light : ""),
  ask: (state) => asked(state, words[`ask_${name}`]),
  done: ({ view }, _refused, since) => how(view) > how(since.view),
  praise: () => words[`praise_${name}`],
});

/** A lesson: a position in which one line wins. `path`: the own hand along it, the last when the lesson is done. */
const lesson = (name, ...path) => {
  const is = ({ view }, hands) => hands.includes(view.hand.join(" "));
  return {
    ownDeal: true,
    light: (state) => (is(state, path.slice(0, -1)) ? HAND : ""),
    ask: (state) => words[is(state, path) ? `ask_${name}` : `wrong_${name}`],
    done: (state) => is(state, path.slice(-1)),
    praise: () => words[`praise_${name}`],
  };
};

export const tasks = {
  trumps: once("trumps", (view) => counts.get(view).led + counts.get(view).beaten, HAND),
  lead: once("lead", (view) => counts.get(view).led, HAND, { newDeal: true }),
  beat: once("beat", (view) => counts.get(view).beaten, HAND),
  pick_up: once("pick_up", (view) => view.picked_up[view.seat], "#pick-up"),
  end: {
    ask: () => words.ask_end,
    done: ({ over }) => over !== null,
    praise: ({ view }) => words[view.winner === view.seat ? "praise_end_won" : "praise_end"],
  },
  lesson_trumps: lesson("lesson_trumps", "AH QH KC AD", "AH KC AD"),
  lesson_pick_up: { ...lesson("lesson_pick_up", "KS AH AC", "KS AH AC AD"), light: () => "#pick-up" },
  lesson_tempo: lesson("lesson_tempo", "AS KS QD", "AS QD"),
  lesson_forced_win: lesson("lesson_forced_win", "AS KS KD", "AS KD", "KD", ""),
};

function asked({ over, view }, sentence) {
  if (over !== null) return words.all_over;
  return view.waiting_for.includes(view.seat) ? sentence : words.wait;
}
