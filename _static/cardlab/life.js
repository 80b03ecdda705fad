/**
 * The life of a page. The pages of a game share one document (shell.js), so what a page has set up outside its own
 * elements must end with it: listeners, timers and connections.
 */

const end = new AbortController();

/** Aborted when another page takes the place of this one; an option of `addEventListener`. */
export const life = end.signal;

/** Ends the life of this page. */
export function endLife() {
  end.abort();
}

/** Has something done when the page ends. @param {() => void} action */
export function atEnd(action) {
  life.addEventListener("abort", action);
}

/** Does something again and again while the page lives. @param {() => void} action  @param {number} ms */
export function repeat(action, ms) {
  const timer = setInterval(action, ms);
  atEnd(() => clearInterval(timer));
  return timer;
}
