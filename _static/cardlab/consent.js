/** The consent form: a participant who does not agree is asked for confirmation. */

import { openConfirmDialog } from "./confirm_dialog.js";

let isSure = false;

document.addEventListener(
  "submit",
  (event) => {
    if (isSure || !document.querySelector("input[name=agreed][value=no]:checked")) return;
    event.preventDefault();
    openConfirmDialog(document.getElementById("refuse"), () => {
      isSure = true;
      document.getElementById("form").requestSubmit();
    });
  },
  true, // before the form is sent (send_form.js)
);
