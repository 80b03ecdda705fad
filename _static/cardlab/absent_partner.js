/**
 * The choice of a participant whose co-player has had no connection for a while: wait on, let the computer play,
 * or stop. The server says when it may be made (cardlab/live/absent_partners.py).
 */

import { fill, signed } from "./text.js";

/**
 * @param {(choice: string) => boolean} choose sends a choice; false if it must wait
 * @returns {(state: object) => void} to be called with every state
 */
export function absentPartner(choose) {
  const dialog = document.getElementById("absent");
  if (!dialog) return () => {};
  const buttons = dialog.querySelectorAll("[data-choice]");
  const score = document.getElementById("absent-score");
  let asked = false; // whether the choice is to be made
  const enable = (enabled) => buttons.forEach((button) => (button.disabled = !enabled));
  dialog.addEventListener("cancel", (event) => event.preventDefault()); // Escape is no answer
  dialog.addEventListener("close", () => asked && dialog.showModal()); // a browser closes it at the second one
  for (const button of buttons) {
    button.addEventListener("click", () => enable(!choose(button.dataset.choice)));
  }
  return ({ wait, over }) => {
    const choice = over === null ? wait?.choice : undefined;
    asked = choice !== undefined;
    enable(true);
    if (!choice) {
      dialog.close();
      return;
    }
    dialog.querySelector("[data-stop]").hidden = choice.score === null;
    if (score && choice.score !== null) score.textContent = fill(score.dataset.words, { score: signed(choice.score) });
    if (!dialog.open) dialog.showModal();
  };
}
