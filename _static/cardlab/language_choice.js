/** Opens the language dialog on a participant's first page, if the session has one (Presence.html). */

import { confirmLeaving } from "./leave_warning.js";
import { onPageEnd } from "./page_lifetime.js";

/** @type {HTMLDialogElement | null} */
const dialog = document.querySelector("dialog#languages");
if (dialog) {
  document.getElementById("choose-language")?.addEventListener("click", () => dialog.showModal());
  dialog.querySelector("button").addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", ({ target }) => target instanceof HTMLAnchorElement && confirmLeaving(false));
  onPageEnd(() => dialog.close());
}
