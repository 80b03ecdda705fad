/** The light on what a step of the instructions is about; the rest of the board is darker. */

import { nudge } from "./motion.js";

export class Spotlight {
  #light = document.getElementById("spotlight");
  #selector = "";

  constructor(root) {
    this.root = root;
    new ResizeObserver(() => this.show(this.#selector)).observe(root);
  }

  /** Light up what a selector finds on the board; "" turns the light off. */
  show(selector) {
    this.#selector = selector;
    const found = selector ? [...this.root.querySelectorAll(selector)] : [];
    const boxes = found.map((each) => each.getBoundingClientRect()).filter(({ width }) => width > 0);
    this.#light.hidden = !boxes.length;
    if (!boxes.length) return;
    const frame = this.#light.parentElement.getBoundingClientRect();
    const edge = (side, most) => most(...boxes.map((box) => box[side]));
    const [left, top] = [edge("left", Math.min) - frame.left - EDGE, edge("top", Math.min) - frame.top - EDGE];
    const [width, height] = [
      edge("right", Math.max) - frame.left - left + EDGE,
      edge("bottom", Math.max) - frame.top - top + EDGE,
    ];
    for (const [name, length] of Object.entries({ left, top, width, height })) this.#light.style[name] = `${length}px`;
  }

  /** Draw the eye to it. */
  nudge() {
    nudge(this.#light);
  }
}

const EDGE = 6; // px around what is lit
