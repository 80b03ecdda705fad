/** The buttons of the board: give up, undo, and finish, which sends all cards home one after another. */

const STEP_MS = 90; // between two cards

export class Commands {
  /**
   * @param {import("./board.js").Board} board
   * @param {boolean} offersFinish whether the button to finish is offered when the view allows it
   */
  constructor(board, offersFinish) {
    this.board = board;
    this.offersFinish = offersFinish;
    this.sentFinish = null; // the last action of a running `finish`
    this.movesBefore = 0; // the number of moves before it
  }

  /** Whether the participant may finish the hand. */
  get mayFinish() {
    return this.offersFinish && this.board.view.finish !== null;
  }

  draw() {
    const { isLive, parts, view } = this.board;
    if (!isLive) this.sentFinish = null;
    parts["give-up"].disabled = !isLive;
    if (!view) return;
    parts.undo.hidden = view.may_undo === null;
    parts.undo.disabled = !isLive || !view.may_undo;
    parts.finish.hidden = !this.mayFinish;
    parts.finish.disabled = !isLive || this.sentFinish !== null;
  }

  /** Handles a view of the server. If it confirms the action that `finish` sent, sends the next; any other view stops `finish`. */
  update() {
    const view = this.board.predictions.confirmed;
    if (this.sentFinish !== null) {
      const continues = view.last === this.sentFinish && view.moves > this.movesBefore;
      if (continues) setTimeout(() => this.sentFinish !== null && this.#sendNext(), STEP_MS);
      else this.sentFinish = null;
    }
    this.draw();
  }

  /** The announcement when the hand can be finished for the first time. */
  news(before) {
    return this.mayFinish && before.finish === null ? this.board.words.finish_offered : "";
  }

  finish() {
    if (this.mayFinish && this.sentFinish === null) this.#sendNext();
  }

  #sendNext() {
    const { finish, moves } = this.board.view;
    this.movesBefore = moves;
    this.sentFinish = finish !== null && this.board.act(finish) ? finish : null;
    this.draw();
  }
}
