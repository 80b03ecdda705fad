/** The tasks of the instructions, in a small game, and the coach's sentences. */

import { words } from "../cardlab/page_texts.js";

const countsByView = new WeakMap(); // how often the participant has led, and beaten a card, up to a view
let previousView = null;

/** Counts the participant's plays; the computer's answer may have come in the same view. */
export function follow(view) {
  const before = previousView && countsByView.get(previousView);
  const count = before ? { ...before } : { led: 0, beaten: 0 };
  const played = previousView?.hand.find((card) => !view.hand.includes(card));
  if (played && view.moves > previousView.moves) count[previousView.to_lead ? "led" : "beaten"] += 1;
  countsByView.set(view, count);
  previousView = view;
}

const HAND = "#plate-near, #hand-near";

/** A task that is done when a count has grown since the step began. */
const countTask = (name, counter, light, fields = {}) => ({
  ask: (state) => requestFor(state, words[`ask_${name}`]),
  ...fields,
  light: ({ over, view }) => (over === null && view.waiting_for.includes(view.seat) ? light : ""),
  done: ({ view }, _refused, since) => counter(view) > counter(since.view),
  praise: () => words[`praise_${name}`],
});

/** A lesson: a position in which one line of play wins. `path`: the participant's hands along it; the last one ends the lesson. */
const lessonTask = (name, ...path) => {
  const isHand = ({ view }, hands) => hands.includes(view.hand.join(" "));
  return {
    ownDeal: true,
    light: (state) => (isHand(state, path.slice(0, -1)) ? HAND : ""),
    ask: (state) => words[isHand(state, path) ? `ask_${name}` : `wrong_${name}`],
    done: (state) => isHand(state, path.slice(-1)),
    praise: () => words[`praise_${name}`],
  };
};

export const tasks = {
  trumps: countTask("trumps", (view) => countsByView.get(view).led + countsByView.get(view).beaten, HAND),
  lead: countTask("lead", (view) => countsByView.get(view).led, HAND, { newDeal: true }),
  beat: countTask("beat", (view) => countsByView.get(view).beaten, HAND, {
    ask: (state) => requestFor(state, state.view.table_count ? words.ask_beat : words.lead_first),
  }),
  pick_up: countTask("pick_up", (view) => view.picked_up[view.seat], "#pick-up"),
  end: {
    ask: () => words.ask_end,
    done: ({ over }) => over !== null,
    praise: ({ view }) => words[view.winner === view.seat ? "praise_end_won" : "praise_end"],
  },
  lesson_trumps: lessonTask("lesson_trumps", "AH QH KC AD", "AH KC AD"),
  lesson_pick_up: { ...lessonTask("lesson_pick_up", "KS AH AC", "KS AH AC AD"), light: () => "#pick-up" },
  lesson_tempo: lessonTask("lesson_tempo", "AS KS QD", "AS QD"),
  lesson_forced_win: lessonTask("lesson_forced_win", "AS KS KD", "AS KD", "KD", ""),
};

function requestFor({ over, view }, sentence) {
  if (over !== null) return words.all_over;
  return view.waiting_for.includes(view.seat) ? sentence : words.wait;
}
