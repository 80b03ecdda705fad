/** The board of Stop in Time: how a view is drawn, and what buttons and keys mean. */

import { BaseBoard } from "../cardlab/board.js";
import { fill } from "../cardlab/text.js";

export class Board extends BaseBoard {
  draw(before) {
    const { root, words, view } = this;
    root.querySelector("#seen").textContent = view.seen.join(" ");
    root.querySelector("#card").textContent = view.card;
    root.querySelector("#left").textContent = view.left === null ? "" : fill(words.left, { count: view.left });
    for (const move of ["keep", "next"]) {
      const button = root.querySelector(`#${move}`);
      button.textContent = words[move];
      button.disabled = !view.may.includes(move);
    }
    if (before?.card !== view.card) this.onChange(fill(words.shown, { card: view.card }));
  }

  command(id) {
    this.act(id);
  }
}
