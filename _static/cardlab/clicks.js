/** Double clicks, which must not act twice. */

const DOUBLE_CLICK = { ms: 450, px: 24 };

export class Clicks {
  /** @param {HTMLElement} root */
  constructor(root) {
    this.pressed = { x: 0, y: 0 }; // where mouse or finger went down last
    this.acted = { x: 0, y: 0, at: -Infinity }; // the last action: where and when
    root.addEventListener("pointerdown", ({ clientX: x, clientY: y }) => (this.pressed = { x, y }));
  }

  /** To be told of every action. */
  act() {
    this.acted = { ...this.pressed, at: performance.now() };
  }

  /** Whether this is the second click of a double click of which the first has acted. */
  get again() {
    const { acted, pressed } = this;
    const near = Math.hypot(pressed.x - acted.x, pressed.y - acted.y) < DOUBLE_CLICK.px;
    return near && performance.now() - acted.at < DOUBLE_CLICK.ms;
  }
}
