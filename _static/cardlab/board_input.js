/** Connects mouse, touch and keyboard to the methods of a board. */

import { listen } from "./gestures.js";
import { pressedKey } from "./keys.js";
import { pageLifetime } from "./page_lifetime.js";

/** @param {import("./board.js").BaseBoard} board @returns {{cancel: () => boolean}} the gestures */
export function connectInput(board) {
  const { root } = board;
  root.addEventListener("click", (event) => click(board, event));
  root.addEventListener("pointerover", (event) => board.aim(event.target));
  root.addEventListener("pointerleave", () => board.aim(null));
  root.addEventListener("focusin", (event) => board.aim(event.target));
  root.addEventListener("focusout", () => board.aim(null));
  const onKey = (event) => {
    board.clicks.forgetPress();
    const key = pressedKey(event);
    if (board.view && board.key(key, event)) event.preventDefault();
  };
  document.addEventListener("keydown", onKey, { signal: pageLifetime });
  return listen(root, {
    places: "[data-place]",
    cardOf: (place) => board.cardOf(place),
    canDrag: (place) => board.isLive && board.canDrag(place),
    onLift: (place) => lift(board, place),
    onDrop: (from, to) => drop(board, from, to),
    onTap: (place, how) => board.isLive && board.tap(place, how),
    onLook: (place, how) => board.look(place, how),
  });
}

function lift(board, place) {
  for (const target of board.lightUp ? board.targets(place) : []) target.setAttribute("data-highlighted", "");
  board.lift(place);
}

function drop(board, from, to) {
  for (const place of board.root.querySelectorAll("[data-place][data-highlighted]")) place.removeAttribute("data-highlighted");
  if (!board.isLive || !board.drop(from, to)) board.putBack(board.cardOf(from));
}

/** Handles clicks on buttons. On a place, handles only clicks without a tap, which come from keys and screen readers. */
function click(board, { target, detail }) {
  const place = target.closest("[data-place], button");
  if (place?.dataset.place) {
    if (detail === 0 && board.isLive) board.press(place);
  } else if (place && (detail <= 1 || "repeats" in place.dataset)) board.command(place.id);
  else if (board.isLive && (place || board.clicks.isRepeat)) board.onNote(board.words.double_click);
}
