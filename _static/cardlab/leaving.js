/** Leaving a page: who closes it in the middle of a hand is asked, unless the page continues automatically. */

const ask = (event) => event.preventDefault();

/** Whether who leaves is asked from now on. Browsers ask in their own words, and only after something was clicked. */
export function confirmLeaving(asked) {
  if (asked) addEventListener("beforeunload", ask);
  else removeEventListener("beforeunload", ask);
}

/** Reload the page: oTree leads to where the participant is by now. */
export function reload() {
  confirmLeaving(false);
  location.reload();
}

// The form goes on to the next page; jQuery, because oTree sends it so when the time is up.
window.jQuery?.("#form").on("submit", () => confirmLeaving(false));
