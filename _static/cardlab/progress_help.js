/** The list of requests for help in the tab "Progress", and its sound. */

import { make } from "./elements.js";
import { durationText, nameOf } from "./progress_texts.js";
import { CALL, playTones } from "./sound.js";

const SOUND = "card-lab-help-sound"; // in the browser's storage

const list = document.getElementById("help-requests");
/** @type {any} */
const box = document.getElementById("help-sound");
const hint = document.getElementById("help-silent");
const shown = new Map(); // by number of the request: its line

/** Whether new requests sound: then they are asked for in a window that is hidden, too. */
export const isListening = () => box?.checked ?? false;

if (box) {
  box.checked = localStorage.getItem(SOUND) === "yes";
  box.addEventListener("change", () => {
    localStorage.setItem(SOUND, box.checked ? "yes" : "");
    if (box.checked) call();
    else hint.hidden = true;
  });
  addEventListener("pointerdown", () => (hint.hidden = true));
}

function call() {
  hint.hidden = playTones(CALL);
}

/**
 * Shows the requests of these rows, the oldest first; a new one sounds, if wanted.
 * @param {(row: any) => void} onAnswer
 */
export function showRequests(rows, onAnswer) {
  const asking = rows.filter(({ help }) => help).sort((a, b) => a.help[0] - b.help[0]);
  const open = new Set(asking.map(({ help }) => help[0]));
  for (const [number, line] of shown) {
    if (open.has(number)) continue;
    line.remove();
    shown.delete(number);
  }
  let isNew = false;
  for (const row of asking) {
    const [number, seconds, text] = row.help;
    if (!shown.has(number)) {
      isNew = true;
      shown.set(number, list.appendChild(requestLine(row, text, onAnswer)));
    }
    shown.get(number).querySelector("small").textContent = durationText(seconds);
  }
  list.hidden = asking.length === 0;
  if (isNew && isListening()) call();
}

function requestLine(row, text, onAnswer) {
  const answer = make("button.btn.btn-sm.btn-primary", {}, "Answer…");
  answer.type = "button";
  answer.setAttribute("aria-label", `Answer… ${nameOf(row)}`);
  answer.addEventListener("click", () => onAnswer(row));
  return make("li", {}, make("span", {}, make("b", {}, `${nameOf(row)} asks: `), make("bdi", {}, text)), " ", make("small"), answer);
}
