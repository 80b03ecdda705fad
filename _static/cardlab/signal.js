/** Tells somebody who looks away that their game begins or that it is their turn: in the window's title, by a sound. */

import { memory } from "./memory.js";

const WAITS = "card-lab-waits"; // in the tab's memory: the page before was a waiting page
const ATTENTION = ["pointermove", "pointerdown", "keydown", "focus"];
const TONES = [659, 880]; // Hz
const TONE = 0.22; // seconds

/** On a waiting page: the next page tells that the wait is over. */
export function rememberWaiting() {
  memory.setItem(WAITS, "yes");
}

/** Whether the page before was a waiting page; true once. */
export function hasWaited() {
  const waited = memory.getItem(WAITS) === "yes";
  memory.setItem(WAITS, "");
  return waited;
}

/**
 * @param {"title" | "sound" | "none"} kind the sound comes with the title
 * @param {string} words
 */
export function signal(kind, words) {
  if (kind === "none") return;
  markTitle(words);
  if (kind === "sound") playSound();
}

let title = null; // what it is without a mark

/** Mark the window's title until its person is back: comes to the window, moves the mouse, touches, types. */
function markTitle(words) {
  if (title === null) {
    title = document.title;
    for (const sign of ATTENTION) addEventListener(sign, unmarkTitle);
    document.addEventListener("visibilitychange", unmarkTitle);
  }
  document.title = `● ${words}`;
}

function unmarkTitle() {
  if (document.hidden) return;
  document.title = title;
  title = null;
  for (const sign of ATTENTION) removeEventListener(sign, unmarkTitle);
  document.removeEventListener("visibilitychange", unmarkTitle);
}

/** Two soft tones. A browser may refuse them to a page on which nobody has done anything yet; then it stays still. */
function playSound() {
  const audio = new AudioContext();
  if (audio.state !== "running") {
    audio.close();
    return;
  }
  TONES.forEach((pitch, number) => {
    const start = audio.currentTime + number * TONE;
    const [tone, loudness] = [audio.createOscillator(), audio.createGain()];
    tone.frequency.value = pitch;
    loudness.gain.setValueAtTime(0, start);
    loudness.gain.linearRampToValueAtTime(0.3, start + 0.02);
    loudness.gain.linearRampToValueAtTime(0, start + TONE);
    tone.connect(loudness).connect(audio.destination);
    tone.start(start);
    tone.stop(start + TONE);
  });
}
