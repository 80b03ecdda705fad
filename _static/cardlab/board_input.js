/** Connects mouse, touch and keyboard with the methods of a board. */

import { listen } from "./gestures.js";
import { pressedKey } from "./keys.js";
import { life } from "./life.js";

/** @param {import("./board.js").BaseBoard} board @returns {{cancel: () => boolean}} the gestures */
export function connectInput(board) {
  const { root } = board;
  root.addEventListener("click", (event) => click(board, event));
  root.addEventListener("pointerover", (event) => board.aim(event.target));
  root.addEventListener("pointerleave", () => board.aim(null));
  root.addEventListener("focusin", (event) => board.aim(event.target));
  root.addEventListener("focusout", () => board.aim(null));
  const onKey = (event) => {
    board.clicks.forget();
    const key = pressedKey(event);
    if (board.view && board.key(key, event)) event.preventDefault();
  };
  document.addEventListener("keydown", onKey, { signal: life });
  return listen(root, {
    places: "[data-place]",
    cardOf: (at) => board.cardOf(at),
    mayLift: (at) => board.live && board.mayLift(at),
    onLift: (at) => lift(board, at),
    onDrop: (from, to) => drop(board, from, to),
    onTap: (at, how) => board.live && board.tap(at, how),
    onLook: (at, how) => board.look(at, how),
  });
}

function lift(board, at) {
  for (const target of board.lightUp ? board.targets(at) : []) target.setAttribute("data-highlighted", "");
  board.lift(at);
}

function drop(board, from, to) {
  for (const at of board.root.querySelectorAll("[data-place][data-highlighted]")) at.removeAttribute("data-highlighted");
  if (!board.live || !board.drop(from, to)) board.putBack(board.cardOf(from));
}

/** Handles clicks on buttons; on a place, only those without a tap, which come from keys and screen readers. */
function click(board, { target, detail }) {
  const at = target.closest("[data-place], button");
  if (at?.dataset.place) {
    if (detail === 0 && board.live) board.press(at);
  } else if (at && (detail <= 1 || "repeats" in at.dataset)) board.command(at.id);
  else if (board.live && (at || board.clicks.again)) board.onNote(board.words.double_click);
}
