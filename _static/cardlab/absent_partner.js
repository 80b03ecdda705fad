/**
 * Lets a participant whose co-player is disconnected wait, continue with the computer, or stop. The server decides
 * when to offer this (cardlab/live/absent_partners.py).
 */

import { fill, formatSigned } from "./text.js";

/**
 * @param {(choice: string) => boolean} choose sends a choice; false if it cannot be sent now
 * @returns {(state: object) => void} a function to call with every state
 */
export function connectAbsentPartnerDialog(choose) {
  const dialog = document.getElementById("absent");
  if (!dialog) return () => {};
  const buttons = dialog.querySelectorAll("[data-choice]");
  const score = document.getElementById("absent-score");
  let mustBeOpen = false; // whether the dialog must stay open
  const enable = (enabled) => buttons.forEach((button) => (button.disabled = !enabled));
  dialog.addEventListener("cancel", (event) => event.preventDefault()); // ignores Escape
  dialog.addEventListener("close", () => mustBeOpen && dialog.showModal()); // browsers close it at the second Escape
  for (const button of buttons) {
    button.addEventListener("click", () => enable(!choose(button.dataset.choice)));
  }
  return ({ wait, over }) => {
    const choice = over === null ? wait?.choice : undefined;
    mustBeOpen = choice !== undefined;
    enable(true);
    if (!choice) {
      dialog.close();
      return;
    }
    dialog.querySelector("[data-stop]").hidden = choice.score === null;
    if (score && choice.score !== null) score.textContent = fill(score.dataset.words, { score: formatSigned(choice.score) });
    if (!dialog.open) dialog.showModal();
  };
}
