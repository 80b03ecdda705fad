/** Signals the start of a game or the participant's turn by the window's title and a sound. */

import { pageLifetime } from "./page_lifetime.js";
import { CALL, playSound } from "./sound.js";
import { tabStorage } from "./tab_storage.js";

const WAITED_KEY = "card-lab-waits"; // in the tab's storage: set if the previous page was a waiting page
const ATTENTION_EVENTS = ["pointermove", "pointerdown", "keydown", "focus"];

/** Makes the next page signal the end of the wait. Call it on a waiting page. */
export function rememberWaiting() {
  tabStorage.setItem(WAITED_KEY, "yes");
}

/** Returns whether the previous page was a waiting page, and clears this. */
export function hasWaited() {
  const waited = tabStorage.getItem(WAITED_KEY) === "yes";
  tabStorage.setItem(WAITED_KEY, "");
  return waited;
}

/**
 * @param {"title" | "sound" | "none"} kind `sound` includes the title
 * @param {string} words
 */
export function signalAttention(kind, words) {
  if (kind === "none") return;
  markTitle(words);
  if (kind === "sound") playSound(CALL);
}

let unmarkedTitle = null; // the title without the mark; null if it has none

/** Marks the window's title until the participant uses the window again. */
function markTitle(words) {
  if (unmarkedTitle === null) {
    unmarkedTitle = document.title;
    for (const event of ATTENTION_EVENTS) addEventListener(event, unmarkTitle, { signal: pageLifetime });
    document.addEventListener("visibilitychange", unmarkTitle, { signal: pageLifetime });
  }
  document.title = `● ${words}`;
}

function unmarkTitle() {
  if (document.hidden) return;
  document.title = unmarkedTitle;
  unmarkedTitle = null;
  for (const event of ATTENTION_EVENTS) removeEventListener(event, unmarkTitle);
  document.removeEventListener("visibilitychange", unmarkTitle);
}
