/** The dialog that asks for confirmation before a hand is given up. */

export class GiveUpDialog {
  /** @param {object} parts the dialog, its text and its buttons  @param {Record<string, string>} words */
  constructor(parts, words) {
    this.parts = parts;
    this.words = words;
    this.startsNext = false; // whether the next hand begins at once
  }

  /** @param {boolean} startsNext whether the next hand begins at once after a yes */
  open(startsNext) {
    const { parts, words } = this;
    this.startsNext = startsNext;
    parts["leave-text"].textContent = startsNext ? words.leave_next : words.leave;
    parts["leave-now"].textContent = startsNext ? words.give_up_next : words.give_up;
    parts.leave.showModal();
    parts.stay.focus(); // so that a repeated key does not give up
  }

  close() {
    this.parts.leave.close();
  }
}
