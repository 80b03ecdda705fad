/**
 * The lifetime of a page. The pages of a game share one document (shell.js), so the listeners, timers and connections
 * that a page sets up outside its own elements must end with it.
 */

const pageEnd = new AbortController();

/** Aborts when another page replaces this one; the option `signal` of `addEventListener`. */
export const pageLifetime = pageEnd.signal;

/** Ends the lifetime of this page. */
export function endPage() {
  pageEnd.abort();
}

/** Calls a function when the page ends. @param {() => void} action */
export function onPageEnd(action) {
  pageLifetime.addEventListener("abort", action);
}

/** Calls a function at intervals until the page ends. @param {() => void} action  @param {number} ms */
export function repeatUntilPageEnds(action, ms) {
  const timer = setInterval(action, ms);
  onPageEnd(() => clearInterval(timer));
  return timer;
}
