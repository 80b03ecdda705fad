/**
 * The messages of a hand page, its banner for a lost connection, and the result. The elements and texts are those of
 * `_templates/cardlab/HandPage.html`.
 */

import { signOf } from "./outcomes.js";
import { make } from "./elements.js";
import { inputTime } from "./input_time.js";
import { onPageEnd } from "./page_lifetime.js";
import { nudge } from "./motion.js";

const LAST_LOOK_MS = 700; // time to see the last card before the page continues
const MIN_SENTENCE_MS = 1500; // how long a sentence stays after the board has changed
const MIN_RESULT_MS = 1500; // how long the last position stays even if a key is pressed

const element = (id) => document.getElementById(id);

let removalTimer = 0; // removes the sentence
let shownAt = -Infinity; // when the sentence was shown

/** Shows a sentence under the board, such as a hint; "" removes it. */
export function showNote(text) {
  showSentence(element("note"), text);
  showSentence(element("refusal"), "");
}

/** Shows why an action was refused; this interrupts screen readers. */
export function showRefusal(text) {
  showSentence(element("note"), "");
  showSentence(element("refusal"), text);
  nudge(element("refusal"));
}

/** Removes the reason for a refusal, which may name a card that is face down again after the next action. */
export function clearRefusal() {
  showSentence(element("refusal"), "");
}

/** Announces a change of the board to screen readers. Several sentences in quick succession are all read. */
export function announce(text) {
  if (text) element("announcement").append(make("p", {}, text));
}

/** Removes the sentence under the board after a change of the board, but leaves time to read it. */
export function removeNoteSoon() {
  clearTimeout(removalTimer);
  removalTimer = setTimeout(() => showNote(""), shownAt + MIN_SENTENCE_MS - performance.now());
}

onPageEnd(() => clearTimeout(removalTimer));

/** Removes the announcements, which may name a card that is face down again. */
export function clearAnnouncements() {
  element("announcement").replaceChildren();
}

/** Adds a new node each time, so that a repeated sentence is read again. */
function showSentence(line, text) {
  clearTimeout(removalTimer);
  if (text) shownAt = performance.now();
  const sentence = document.createElement("span");
  sentence.textContent = text;
  line.replaceChildren(...(text ? [sentence] : []));
}

/** Shows or hides the banner for a lost connection; then says that it is back. */
export function showConnectionLost(lost) {
  element("connection").hidden = !lost;
  if (!lost) showNote(element("connection").dataset.back);
}

/** Shows the dialog "open elsewhere" instead of the hand; calls `onPlayHere` if the participant wants to play here. */
export function showOpenElsewhere(mayPlay, onPlayHere) {
  const dialog = element("elsewhere");
  const section = element(mayPlay ? "elsewhere-tell" : "elsewhere-refuse");
  section.hidden = false;
  section.querySelector("button").onclick = () => {
    dialog.close();
    onPlayHere();
  };
  dialog.oncancel = (event) => event.preventDefault(); // ignores Escape
  dialog.showModal();
}

let isLeaving = false;

/**
 * Shows the result and focuses the button, whose description is the result.
 * @param {string} end the kind of outcome (outcomes.js)
 */
export function showResult(text, buttonText, end) {
  if (isLeaving) return;
  showNote("");
  element("result").hidden = false;
  element("result").dataset.end = end;
  element("result-sign").innerHTML = signOf(end);
  element("result-text").textContent = text.replaceAll(" · ", "\u00a0· "); // no line begins with a dot
  element("go-on").textContent = buttonText;
  element("go-on").focus({ preventScroll: true });
  ignoreKeysOfTheHand(element("go-on"));
}

/** Ignores keys pressed right after the last move, which would activate the focused button unseen. */
function ignoreKeysOfTheHand(button) {
  const focusedAt = performance.now();
  button.onclick = (event) => {
    const isKey = event.detail === 0;
    if (isKey && inputTime() - focusedAt < MIN_RESULT_MS) event.preventDefault();
  };
}

/** Continues without showing a result, after a moment to see the last card. */
export function goToNextPage() {
  if (isLeaving) return;
  isLeaving = true;
  setTimeout(() => element("form").requestSubmit(), LAST_LOOK_MS);
}
