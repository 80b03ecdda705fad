/** The game to try on the instructions page: what the coach says. */

import { fill, signed } from "../cardlab/text.js";
import { tryOut } from "../cardlab/tutorial.js";
import { Board } from "./board.js";

const { words } = window.js_vars;
const FREE_AFTER = 3; // turns in which the coach explains what was collected

tryOut(Board, advice);

function advice({ over, view }) {
  if (over !== null) return words.coach_over;
  if (view.rotator === view.seat) return words.coach_turn;
  if (!view.waiting_for.includes(view.seat)) return words.coach_wait;
  if (view.last === null) return words.coach_start;
  if (!(view.seat in view.last.collected) || view.turn > FREE_AFTER) return words.coach_free;
  return fill(words.coach_collected, collected(view));
}

/** What oneself and the other player of the pair collected in the last turn. */
function collected({ seat, last, faces }) {
  const points = (card) => signed(faces[card].value);
  const others = Object.keys(last.collected).filter((other) => other !== seat);
  return { own: points(last.collected[seat]), others: points(last.collected[others[0]]) };
}
