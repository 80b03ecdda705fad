/** The tasks of the instructions, in a game to try, and the coach's sentences. */

import { fill, formatSigned } from "../cardlab/text.js";
import { words } from "../cardlab/page_texts.js";

const MAX_TURNS = 5; // after which the step ends without collecting the lower card

let mayTurn = false; // whether the participant may turn a cross now
let hasTurned = false; // whether the participant has turned a cross, or kept all

export const tasks = {
  choose: playTask("choose"),
  column: playTask("column"),
  collect: playTask("collect"),
  turn: {
    light: (state) => (state.view.rotator === state.view.seat ? ".cross" : ownCardsSelector(state)),
    ask: (state) => requestFor(state, words.ask_turn),
    done: ({ view }, _refused, since) => hasTurned || view.turn - since.view.turn >= MAX_TURNS,
    praise: () => (hasTurned ? words.praise_turn : words.no_luck),
  },
};

/** Notes whether a cross was turned, or all were kept. */
export function follow({ rotator, seat }) {
  hasTurned ||= mayTurn && rotator !== seat;
  mayTurn = rotator === seat;
}

/** The task to play a turn. */
function playTask(name) {
  return {
    light: ownCardsSelector,
    ask: (state) => requestFor(state, words[`ask_${name}`]),
    done: ({ view }, _refused, since) => view.turn > since.view.turn,
    praise: ({ view }) => [collectedText(view), words[`praise_${name}`]].filter(Boolean).join(" "),
  };
}

/** Selects the participant's hand while they must choose a card. */
function ownCardsSelector({ over, view }) {
  return over === null && view.rotator === null && view.waiting_for.includes(view.seat) ? "#status, #tray" : "";
}

/** The coach's request, unless the game needs another action first. */
function requestFor({ over, view }, sentence) {
  if (over !== null) return words.all_played;
  if (view.rotator === view.seat) return words.may_turn;
  return view.waiting_for.includes(view.seat) ? sentence : words.wait;
}

/** The points that both players of the pair collected in the last turn; "" if the other pair played it. */
function collectedText({ seat, last, faces }) {
  if (!last || !(seat in last.collected)) return "";
  const points = (card) => formatSigned(faces[card].value);
  const others = Object.keys(last.collected).filter((other) => other !== seat);
  return fill(words.you_collected, { own: points(last.collected[seat]), others: points(last.collected[others[0]]) });
}
