/** Detects double clicks, which must not act twice unless a game gives them a meaning. */

const DOUBLE_CLICK = { ms: 450, px: 24 };
const NOWHERE = { x: Infinity, y: Infinity, at: -Infinity };

export class Clicks {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.pressed = NOWHERE; // position and time of the last press
    this.before = this.pressed; // those of the press before
    this.acted = NOWHERE; // those of the last action
    root.addEventListener("pointerdown", ({ clientX: x, clientY: y }) => {
      this.before = this.pressed;
      this.pressed = { x, y, at: performance.now() };
    });
  }

  /** Forgets the last press, because a key was pressed after it. */
  forget() {
    this.pressed = NOWHERE;
  }

  /** Records an action. Call it for every action. */
  act() {
    this.acted = { ...this.pressed, at: performance.now() };
  }

  /** Whether this is the second click of a double click whose first click has acted. */
  get again() {
    const { acted, pressed } = this;
    return near(pressed, acted) && performance.now() - acted.at < DOUBLE_CLICK.ms;
  }

  /** Whether this is the second click of a double click. */
  get twice() {
    const { before, pressed } = this;
    return near(pressed, before) && pressed.at - before.at < DOUBLE_CLICK.ms;
  }
}

const near = (one, other) => Math.hypot(one.x - other.x, one.y - other.y) < DOUBLE_CLICK.px;
