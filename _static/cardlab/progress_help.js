/** The list of requests for help in the tab "Progress", and its sound. */

import { make } from "./elements.js";
import { durationText, nameOf } from "./progress_texts.js";
import { CALL, playTones } from "./sound.js";

const SOUND_KEY = "card-lab-help-sound"; // in the browser's storage

const list = document.getElementById("help-requests");
/** @type {any} */
const box = document.getElementById("help-sound");
const hint = document.getElementById("help-silent");
const linesByNumber = new Map(); // request number to line

/** Whether new requests make a sound. If so, a hidden window also polls. */
export const isListening = () => box?.checked ?? false;

if (box) {
  box.checked = localStorage.getItem(SOUND_KEY) === "yes";
  box.addEventListener("change", () => {
    localStorage.setItem(SOUND_KEY, box.checked ? "yes" : "");
    if (box.checked) playCall();
    else hint.hidden = true;
  });
  addEventListener("pointerdown", () => (hint.hidden = true));
}

function playCall() {
  hint.hidden = playTones(CALL);
}

/**
 * Shows the requests of these rows, oldest first, and makes a sound for a new one if that is switched on.
 * @param {(row: any) => void} onAnswer
 */
export function showRequests(rows, onAnswer) {
  const openRequests = rows.filter(({ help }) => help).sort((a, b) => a.help[0] - b.help[0]);
  const openNumbers = new Set(openRequests.map(({ help }) => help[0]));
  for (const [number, line] of linesByNumber) {
    if (openNumbers.has(number)) continue;
    line.remove();
    linesByNumber.delete(number);
  }
  let isNew = false;
  for (const row of openRequests) {
    const [number, seconds, text] = row.help;
    if (!linesByNumber.has(number)) {
      isNew = true;
      linesByNumber.set(number, list.appendChild(requestLine(row, text, onAnswer)));
    }
    linesByNumber.get(number).querySelector("small").textContent = durationText(seconds);
  }
  list.hidden = openRequests.length === 0;
  if (isNew && isListening()) playCall();
}

function requestLine(row, text, onAnswer) {
  const answer = make("button.btn.btn-sm.btn-primary", {}, "Answer…");
  answer.type = "button";
  answer.setAttribute("aria-label", `Answer… ${nameOf(row)}`);
  answer.addEventListener("click", () => onAnswer(row));
  return make("li", {}, make("span", {}, make("b", {}, `${nameOf(row)} asks: `), make("bdi", {}, text)), " ", make("small"), answer);
}
