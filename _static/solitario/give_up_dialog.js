/** The dialog that asks for confirmation before a hand is given up. */

export class GiveUpDialog {
  /** @param {object} parts the dialog, its text and its buttons  @param {Record<string, string>} words */
  constructor(parts, words) {
    this.parts = parts;
    this.words = words;
    this.next = false; // whether the next hand begins at once
  }

  /** @param {boolean} next whether the next hand begins at once after a yes */
  ask(next) {
    const { parts, words } = this;
    this.next = next;
    parts["leave-text"].textContent = next ? words.leave_next : words.leave;
    parts["leave-now"].textContent = next ? words.give_up_next : words.give_up;
    parts.leave.showModal();
    parts.stay.focus(); // so that a repeated key does not give up
  }

  close() {
    this.parts.leave.close();
  }
}
