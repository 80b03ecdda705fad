/** Signals the start of a game or the participant's turn by the window's title and a sound. */

import { life } from "./life.js";
import { CALL, playSound } from "./sound.js";
import { memory } from "./tab_storage.js";

const WAITS = "card-lab-waits"; // in the tab's storage: the previous page was a waiting page
const ATTENTION = ["pointermove", "pointerdown", "keydown", "focus"];

/** Called on a waiting page, so that the next page signals the end of the wait. */
export function rememberWaiting() {
  memory.setItem(WAITS, "yes");
}

/** Whether the previous page was a waiting page; true only once. */
export function hasWaited() {
  const waited = memory.getItem(WAITS) === "yes";
  memory.setItem(WAITS, "");
  return waited;
}

/**
 * @param {"title" | "sound" | "none"} kind `sound` includes the title
 * @param {string} words
 */
export function signal(kind, words) {
  if (kind === "none") return;
  markTitle(words);
  if (kind === "sound") playSound(CALL);
}

let title = null; // without the mark

/** Marks the window's title until the participant uses the window again. */
function markTitle(words) {
  if (title === null) {
    title = document.title;
    for (const sign of ATTENTION) addEventListener(sign, unmarkTitle, { signal: life });
    document.addEventListener("visibilitychange", unmarkTitle, { signal: life });
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
