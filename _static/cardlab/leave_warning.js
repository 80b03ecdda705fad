/** Asks for confirmation when a page is closed during a hand, unless the page itself continues. */

import { onPageEnd } from "./page_lifetime.js";

const preventClosing = (event) => event.preventDefault();

/** Switches the confirmation on or off. Browsers use their own words, and ask only after a click on the page. */
export function confirmLeaving(isOn) {
  if (isOn) addEventListener("beforeunload", preventClosing);
  else removeEventListener("beforeunload", preventClosing);
}

onPageEnd(() => confirmLeaving(false));

// Sending the form needs no confirmation. oTree triggers jQuery's event when the time is up.
window.jQuery?.("#form").on("submit", () => confirmLeaving(false));
