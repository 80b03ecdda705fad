/** The game to try on the instructions page: a coach watches and gives advice. */

import * as page from "../cardlab/page.js";
import { signed } from "./card.js";
import { sitDown } from "./table.js";

const { words } = window.js_vars;
const FREE_AFTER = 3; // turns in which the coach explains what was collected

const { connection } = sitDown((state) => {
  document.getElementById("coach").textContent = advice(state);
});

document.getElementById("again").addEventListener("click", () => connection.again());

function advice({ over, view }) {
  if (over !== null) return words.coach_over;
  if (view.rotator === view.seat) return words.coach_turn;
  if (!view.waiting_for.includes(view.seat)) return words.coach_wait;
  if (view.last === null) return words.coach_start;
  if (!(view.seat in view.last.collected) || view.turn > FREE_AFTER) return words.coach_free;
  return page.fill(words.coach_collected, collected(view));
}

/** What oneself and the other player of the pair collected in the last turn. */
function collected({ seat, last, faces }) {
  const points = (card) => signed(faces[card].value);
  const others = Object.keys(last.collected).filter((other) => other !== seat);
  return { own: points(last.collected[seat]), others: points(last.collected[others[0]]) };
}
