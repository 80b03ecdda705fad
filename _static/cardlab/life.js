/**
 * The lifetime of a page. The pages of a game share one document (shell.js), so the listeners, timers and connections
 * that a page sets up outside its own elements must end with it.
 */

const lifeEnd = new AbortController();

/** Aborts when another page replaces this one; the option `signal` of `addEventListener`. */
export const life = lifeEnd.signal;

/** Ends the lifetime of this page. */
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
