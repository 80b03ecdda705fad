/**
 * The messages of a hand page, its banner for a lost connection, and the result. The elements and texts are those of
 * `_templates/cardlab/HandPage.html`.
 */

import { signOf } from "./outcomes.js";
import { make } from "./elements.js";
import { atEnd } from "./life.js";
import { nudge } from "./motion.js";

const LAST_LOOK = 700; // ms to see the last card before the page continues
const STAYS = 1500; // ms that a sentence stays, although the board changes

const element = (id) => document.getElementById(id);

let fading = 0; // the timer that removes the sentence
let saidAt = -Infinity;

/** Shows a sentence under the board, such as a hint; "" removes it. */
export function showNote(text) {
  say(element("note"), text);
  say(element("refusal"), "");
}

/** Shows why something was refused; this interrupts screen readers. */
export function showRefusal(text) {
  say(element("note"), "");
  say(element("refusal"), text);
  nudge(element("refusal"));
}

/** Removes the reason of a refusal, which may name a card that is face down again after the next action. */
export function clearRefusal() {
  say(element("refusal"), "");
}

/** Announces a change of the board to screen readers. Several sentences in quick succession are all read. */
export function announce(text) {
  if (text) element("announcement").append(make("p", {}, text));
}

/** Removes the sentence under the board, because the board has changed; but not before it could be read. */
export function forgetNote() {
  clearTimeout(fading);
  fading = setTimeout(() => showNote(""), saidAt + STAYS - performance.now());
}

atEnd(() => clearTimeout(fading));

/** Removes the announcements, which may name a card that is face down again. */
export function clearAnnouncements() {
  element("announcement").replaceChildren();
}

/** Adds a new node each time, so that a repeated sentence is read again. */
function say(line, text) {
  clearTimeout(fading);
  if (text) saidAt = performance.now();
  const sentence = document.createElement("span");
  sentence.textContent = text;
  line.replaceChildren(...(text ? [sentence] : []));
}

/** Shows or hides the banner for a lost connection. */
export function showConnectionLost(lost) {
  element("connection").hidden = !lost;
}

/** Shows the dialog "open elsewhere" instead of the hand; calls `onPlayHere` if the participant wants to play here. */
export function showOpenElsewhere(mayPlay, onPlayHere) {
  const question = element("elsewhere");
  const asked = element(mayPlay ? "elsewhere-tell" : "elsewhere-refuse");
  asked.hidden = false;
  asked.querySelector("button").onclick = () => {
    question.close();
    onPlayHere();
  };
  question.oncancel = (event) => event.preventDefault(); // ignores Escape
  question.showModal();
}

let leaving = false;

/**
 * Shows the result and focuses the button, whose description is the result.
 * @param {string} end the kind of outcome (outcomes.js)
 */
export function showResult(text, buttonText, end) {
  if (leaving) return;
  showNote("");
  element("result").hidden = false;
  element("result").dataset.end = end;
  element("result-sign").innerHTML = signOf(end);
  element("result-text").textContent = text;
  element("go-on").textContent = buttonText;
  element("go-on").focus({ preventScroll: true });
}

/** Continues after the hand, without feedback, after a moment to see the last card. */
export function goToNextPage() {
  if (leaving) return;
  leaving = true;
  setTimeout(() => element("form").requestSubmit(), LAST_LOOK);
}
