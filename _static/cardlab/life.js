/**
 * The life of a page. The pages of a game share one document (shell.js), so what a page has set up outside its own
 * elements must end with it: listeners, timers and connections.
 */

const lifeEnd = new AbortController();

/** Aborted when another page takes the place of this one; an option of `addEventListener`. */
export const life = lifeEnd.signal;

/** Ends the life of this page. */
export function endLife() {
  lifeEnd.abort();
}

/** Calls a function when the page ends. @param {() => void} action */
export function onLifeEnd(action) {
  life.addEventListener("abort", action);
}

/** Calls a function at intervals until the page ends. @param {() => void} action  @param {number} ms */
export function repeatWhileAlive(action, ms) {
  const timer = setInterval(action, ms);
  onLifeEnd(() => clearInterval(timer));
  return timer;
}
