/**
 * The furniture of a hand page: what it says, the banner of a lost connection, and how it ends.
 * The elements are those of `_templates/cardlab/HandPage.html`; every word comes from the page.
 */

import { signOf } from "./ends.js";
import { make } from "./make.js";
import { nudge } from "./motion.js";

const LAST_LOOK = 700; // ms to see the last card before the page continues automatically

const element = (id) => document.getElementById(id);

/** A quiet sentence under the board: a hint, or why a drop was no move. "" takes it away. */
export function showNote(text) {
  say(element("note"), text);
  say(element("refusal"), "");
}

/** A sentence that something was refused; screen readers break off for it. */
export function showRefusal(text) {
  say(element("note"), "");
  say(element("refusal"), text);
  nudge(element("refusal"));
}

/** For screen readers alone: what has just changed on the board. Sentences that come close together are all read. */
export function announce(text) {
  if (text) element("announcement").append(make("p", {}, text));
}

/** Take away what was announced: a card that has been seen and lies face down again is written nowhere. */
export function clearAnnouncements() {
  element("announcement").replaceChildren();
}

/** A fresh node each time: a sentence said twice must be read out twice. */
function say(line, text) {
  const sentence = document.createElement("span");
  sentence.textContent = text;
  line.replaceChildren(...(text ? [sentence] : []));
}

/** Show or take away the banner of a lost connection; its words are in the page. */
export function showConnectionLost(lost) {
  element("connection").hidden = !lost;
}

/** The seat is open on another page: ask before anything of the hand is shown, and play here if the person says so. */
export function showOpenElsewhere(mayPlay, onPlayHere) {
  const question = element("elsewhere");
  const asked = element(mayPlay ? "elsewhere-tell" : "elsewhere-refuse");
  asked.hidden = false;
  asked.querySelector("button").onclick = () => {
    question.close();
    onPlayHere();
  };
  question.oncancel = (event) => event.preventDefault(); // Escape is no answer
  question.showModal();
}

let leaving = false;

/**
 * The hand is over: show how it went and wait for the button, which tells it to a screen reader too.
 * @param {string} end how it has ended (ends.js)
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

/** The hand is over and no feedback is given: go on after a last look. */
export function goToNextPage() {
  if (leaving) return;
  leaving = true;
  setTimeout(() => element("form").requestSubmit(), LAST_LOOK);
}
