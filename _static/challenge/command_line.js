/** The line for typed commands: what was typed, in any spelling, order and case, is looked up and done. */

import { make } from "../cardlab/elements.js";

export class CommandLine {
  /**
   * @param {object} parts `line`, `typed`, `window` and `commands` of the board
   * @param {object} page
   * @param {Record<string, string>} [page.spellings] commands by what is typed, without spaces and in small letters;
   *   without them there is no line
   * @param {Record<string, string>} [page.refusals] the answers to unknown commands; "" to any other
   * @param {[string, string][]} [page.commands] what can be typed here, and what it does
   * @param {(command: string) => void} onCommand
   * @param {(sentence: string) => void} onRefused
   */
  constructor(parts, { spellings = null, refusals = { "": "" }, commands = [] }, onCommand, onRefused) {
    this.parts = parts;
    this.spellings = spellings;
    this.refusals = refusals;
    this.onCommand = onCommand;
    this.onRefused = onRefused;
    parts.line.hidden = spellings === null;
    if (spellings === null) return;
    const listed = ([typed, what]) => make("div", {}, make("dt", {}, typed), make("dd", {}, what));
    parts.commands.append(...commands.map(listed));
    parts.typed.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        event.preventDefault(); // it would send in the page's form
        if (!event.repeat) this.#read();
      } else if (event.key === "Escape") parts.typed.blur();
    });
    // A board takes no focus by the mouse; but who touches the line wants to type.
    parts.typed.addEventListener("mousedown", (event) => event.stopPropagation());
    parts.typed.addEventListener("click", () => parts.typed.focus());
  }

  /** Go to the line, with the first sign typed already. */
  begin(sign) {
    if (this.parts.line.hidden) return false;
    this.parts.typed.value = sign;
    this.parts.typed.focus();
    return true;
  }

  /** Show the list of commands, or take it away. */
  toggleWindow() {
    const { commands, window } = this.parts;
    commands.hidden = !commands.hidden;
    window.setAttribute("aria-expanded", String(!commands.hidden));
  }

  #read() {
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
