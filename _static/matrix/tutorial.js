/** The tasks of the instructions, in a game to try, and the coach's sentences. */

import { fill, signed } from "../cardlab/text.js";
import { words } from "../cardlab/page_texts.js";

const ENOUGH = 5; // turns after which one need not wait any longer to collect the lower card

let mine = false; // whether a cross may be turned here now
let turned = false; // whether one was turned, or all were kept

export const tasks = {
  choose: play("choose"),
  column: play("column"),
  collect: play("collect"),
  turn: {
    light: (state) => (state.view.rotator === state.view.seat ? ".cross" : lightOf(state)),
    ask: (state) => asked(state, words.ask_turn),
    done: ({ view }, _refused, since) => turned || view.turn - since.view.turn >= ENOUGH,
    praise: () => (turned ? words.praise_turn : words.no_luck),
  },
};

/** Notes whether a cross was turned, or all were kept. */
export function follow({ rotator, seat }) {
  turned ||= mine && rotator !== seat;
  mine = rotator === seat;
}

/** The task to play a turn. */
function play(name) {
  return {
    light: lightOf,
    ask: (state) => asked(state, words[`ask_${name}`]),
    done: ({ view }, _refused, since) => view.turn > since.view.turn,
    praise: ({ view }) => [collected(view), words[`praise_${name}`]].filter(Boolean).join(" "),
  };
}

/** The own cards, while one of them is to be chosen. */
function lightOf({ over, view }) {
  return over === null && view.rotator === null && view.waiting_for.includes(view.seat) ? "#tray" : "";
}

/** What the coach asks for, if the game does not ask for something else first. */
function asked({ over, view }, sentence) {
  if (over !== null) return words.all_played;
  if (view.rotator === view.seat) return words.may_turn;
  return view.waiting_for.includes(view.seat) ? sentence : words.wait;
}

/** What oneself and the other player of the pair collected in the last turn; "" if it was played by the others. */
function collected({ seat, last, faces }) {
  if (!last || !(seat in last.collected)) return "";
  const points = (card) => signed(faces[card].value);
  const others = Object.keys(last.collected).filter((other) => other !== seat);
  return fill(words.collected, { own: points(last.collected[seat]), others: points(last.collected[others[0]]) });
}
