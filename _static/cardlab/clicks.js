/** Detects double clicks, which must not act twice unless a game gives them a meaning. */

const DOUBLE_CLICK = { ms: 450, px: 24 };
const NOWHERE = { x: Infinity, y: Infinity, at: -Infinity };

export class Clicks {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.lastPress = NOWHERE; // position and time of the last press
    this.previousPress = this.lastPress; // those of the press before
    this.lastAction = NOWHERE; // those of the last action
    root.addEventListener("pointerdown", ({ clientX: x, clientY: y }) => {
      this.previousPress = this.lastPress;
      this.lastPress = { x, y, at: performance.now() };
    });
  }

  /** Resets the last press, because a key was pressed after it. */
  forgetPress() {
    this.lastPress = NOWHERE;
  }

  /** Records an action. Call it for every action. */
  recordAction() {
    this.lastAction = { ...this.lastPress, at: performance.now() };
  }

  /** Whether this is the second click of a double click whose first click has acted. */
  get isRepeat() {
    const { lastAction, lastPress } = this;
    return isNear(lastPress, lastAction) && performance.now() - lastAction.at < DOUBLE_CLICK.ms;
  }

  /** Whether this is the second click of a double click. */
  get isDoubleClick() {
    const { previousPress, lastPress } = this;
    return isNear(lastPress, previousPress) && lastPress.at - previousPress.at < DOUBLE_CLICK.ms;
  }
}

const isNear = (a, b) => Math.hypot(a.x - b.x, a.y - b.y) < DOUBLE_CLICK.px;
