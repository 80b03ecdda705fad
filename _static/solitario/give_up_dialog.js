/** The question to who would give a hand up, in a window of its own. */

export class GiveUpDialog {
  /** @param {object} parts the dialog, its text and its buttons  @param {Record<string, string>} words */
  constructor(parts, words) {
    this.parts = parts;
    this.words = words;
    this.next = false; // whether the next hand is to begin at once
  }

  /** @param {boolean} next whether the next hand is to begin at once, if the answer is yes */
  ask(next) {
    const { parts, words } = this;
    this.next = next;
    parts["leave-text"].textContent = next ? words.leave_next : words.leave;
    parts["leave-now"].textContent = next ? words.give_up_next : words.give_up;
    parts.leave.showModal();
    parts.stay.focus(); // so that a key pressed once too often gives nothing up
  }

  close() {
    this.parts.leave.close();
  }
}
