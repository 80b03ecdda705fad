/** The buttons of the board: give up, undo, and finish, which sends all cards home one after another. */

const STEP = 90; // ms between two cards

export class Commands {
  /**
   * @param {import("./board.js").Board} board
   * @param {boolean} offersFinish whether finishing is offered where the view has a way
   */
  constructor(board, offersFinish) {
    this.board = board;
    this.offersFinish = offersFinish;
    this.sent = null; // the action that `finish` sent, while it goes on
    this.from = 0; // how many moves had been made then
  }

  /** Whether the participant may finish the hand. */
  get mayFinish() {
    return this.offersFinish && this.board.view.finish !== null;
  }

  draw() {
    const { live, parts, view } = this.board;
    if (!live) this.sent = null;
    parts["give-up"].disabled = !live;
    if (!view) return;
    parts.undo.hidden = view.may_undo === null;
    parts.undo.disabled = !live || !view.may_undo;
    parts.finish.hidden = !this.mayFinish;
    parts.finish.disabled = !live || this.sent !== null;
  }

  /** Draws a view of the server. If it has brought what `finish` sent, sends the next; anything else ends that. */
  tell() {
    const view = this.board.predictions.confirmed;
    if (this.sent !== null) {
      const goesOn = view.last === this.sent && view.moves > this.from;
      if (goesOn) setTimeout(() => this.sent !== null && this.#next(), STEP);
      else this.sent = null;
    }
    this.draw();
  }

  /** What is said when the hand can be finished for the first time. */
  news(before) {
    return this.mayFinish && before.finish === null ? this.board.words.finish_offered : "";
  }

  finish() {
    if (this.mayFinish && this.sent === null) this.#next();
  }

  #next() {
    const { finish, moves } = this.board.view;
    this.from = moves;
    this.sent = finish !== null && this.board.act(finish) ? finish : null;
    this.draw();
  }
}
