/** The spotlight of the instructions: darkens the board except for the elements of the current step. */

import { nudge } from "./motion.js";

export class Spotlight {
  #light = document.getElementById("spotlight");
  #selector = "";

  /** @param {import("./board.js").BaseBoard} board */
  constructor(board) {
    this.board = board;
    this.root = board.root;
    new ResizeObserver(() => this.#place()).observe(this.root);
  }

  /** Lights the elements of a selector, and again when animations have ended; "" turns the spotlight off. */
  async show(selector) {
    this.#selector = selector;
    this.#place();
    await this.board.waitUntilAtRest();
    const motions = this.root.getAnimations({ subtree: true });
    await Promise.allSettled(motions.map(({ finished }) => finished));
    this.#place();
  }

  #place() {
    const elements = this.#selector ? [...this.root.querySelectorAll(this.#selector)] : [];
    const boxes = elements.map((element) => element.getBoundingClientRect()).filter(({ width }) => width > 0);
    this.#light.hidden = !boxes.length;
    if (!boxes.length) return;
    const frame = this.#light.parentElement.getBoundingClientRect();
    // The spotlight stays on the board, because its layer would cut off a side beyond the edge.
    const least = (side) => Math.max(Math.min(...boxes.map((box) => box[side])) - frame[side] - EDGE, 0);
    const most = (side, room) => Math.min(Math.max(...boxes.map((box) => box[side])) + EDGE, frame[side]) - room;
    const [left, top] = [least("left"), least("top")];
    const [width, height] = [most("right", frame.left + left), most("bottom", frame.top + top)];
    for (const [name, length] of Object.entries({ left, top, width, height })) this.#light.style[name] = `${length}px`;
  }

  /** Shakes the spotlight to draw attention. */
  nudge() {
    nudge(this.#light);
  }
}

const EDGE = 9; // px around the lit elements, including the focus ring
