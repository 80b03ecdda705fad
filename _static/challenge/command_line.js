/** The command line: looks up and executes typed commands, in any spelling, order and case. */

import { make } from "../cardlab/elements.js";

export class CommandLine {
  /**
   * @param {object} parts `line`, `typed`, `window` and `commands` of the board
   * @param {object} page
   * @param {Record<string, string>} [page.spellings] commands by their spellings, in lower case without spaces; without
   *   them there is no command line
   * @param {Record<string, string>} [page.refusals] the error messages for unknown commands; "" is the default
   * @param {[string, string][]} [page.commands] the available commands with their descriptions
   * @param {boolean} [page.shown] whether it is always in sight; otherwise only while it has the focus
   * @param {(command: string) => void} onCommand
   * @param {(sentence: string) => void} onRefused
   */
  constructor(parts, { spellings = null, refusals = { "": "" }, commands = [], shown: isShown = false }, onCommand, onRefused) {
    this.parts = parts;
    this.spellings = spellings;
    this.refusals = refusals;
    this.onCommand = onCommand;
    this.onRefused = onRefused;
    this.cameFrom = null; // the element that had the focus before
    parts.line.hidden = spellings === null;
    parts.line.classList.toggle("visually-hidden-focusable", !isShown);
    if (spellings === null) return;
    const listEntry = ([typed, description]) => make("div", {}, make("dt", {}, typed), make("dd", {}, description));
    parts.commands.append(...commands.map(listEntry));
    parts.typed.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault(); // would submit the page's form
        if (!event.repeat) this.#executeLine();
      } else if (event.key === "Escape") this.#leave();
    });
    parts.typed.addEventListener("focus", (event) => (this.cameFrom = event.relatedTarget));
    // The board prevents focus by the mouse, which the command line needs.
    parts.typed.addEventListener("mousedown", (event) => event.stopPropagation());
    parts.typed.addEventListener("click", () => parts.typed.focus());
  }

  /** Focuses the command line, with a first character. */
  focusWith(sign) {
    if (this.parts.line.hidden) return false;
    this.parts.typed.value = sign;
    this.parts.typed.focus();
    return true;
  }

  /** Gives the focus back to the place that had it. */
  #leave() {
    this.parts.typed.blur();
    this.cameFrom?.focus();
  }

  /** Shows or hides the list of commands. */
  toggleWindow() {
    const { commands, window } = this.parts;
    commands.hidden = !commands.hidden;
    window.setAttribute("aria-expanded", String(!commands.hidden));
  }

  #executeLine() {
    const { typed } = this.parts;
    const text = typed.value.toLowerCase().replace(/\s+/g, "");
    if (!text) return;
    const command = this.spellings[text];
    if (command === undefined) this.onRefused(this.refusals[text] ?? this.refusals[""]);
    else {
      typed.value = "";
      this.onCommand(command);
    }
    typed.select();
  }
}
