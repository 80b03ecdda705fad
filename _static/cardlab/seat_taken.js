/**
 * The page for a browser whose seat another browser holds: polls until the seat is free, then shows a button
 * (cardlab/live/seat_browser.py). A forgotten page must not take the seat over automatically.
 */

import { fill } from "./text.js";

const POLL_MS = 3000;

const code = location.pathname.split("/")[2]; // the participant's
const title = document.getElementById("_otree-title");
const taken = document.getElementById("taken");
const free = document.querySelector("#free > div");
const freeTimeLine = document.getElementById("when"); // how long ago the other browser was closed
const continueButton = document.getElementById("continue");

async function pollSeat() {
  try {
    const answer = await fetch(`/seat/${code}`);
    showStatus(await answer.json());
  } catch {
    // No answer: the next poll may succeed.
  }
  setTimeout(pollSeat, POLL_MS);
}

/** @param {{ free: boolean, seconds: number }} status */
function showStatus({ free: isFree, seconds }) {
  freeTimeLine.textContent = fill(freeTimeLine.dataset.words, { seconds });
  freeTimeLine.hidden = false;
  if (isFree !== free.hidden) return;
  title.textContent = isFree ? title.dataset.free : title.dataset.taken;
  taken.hidden = isFree;
  free.hidden = !isFree;
  if (isFree) continueButton.focus();
}

continueButton.addEventListener("click", () => location.assign(`/InitializeParticipant/${code}`));
pollSeat();
