/**
 * Recognises gestures by mouse, pen or finger: tap, drag, and look (right click or long press).
 *
 * Listens to the places of a board rather than the cards, so that a card can be taken during its animation. Cards on a
 * dragged card move with it and are no drop targets.
 */

import { pageLifetime } from "./page_lifetime.js";

const DRAG_THRESHOLD = 5; // px; less is a tap
const LONG_PRESS_MS = 450;
const ENOUGH_OVERLAP = 0.25; // of the card's area, to count as dropped on a place

/**
 * @param {HTMLElement} board
 * @param {object} table
 * @param {string} table.places selector of the places
 * @param {(place: HTMLElement) => HTMLElement} table.cardOf the card in a place, which a drag moves
 * @param {(place: HTMLElement) => boolean} table.canDrag called once when a drag begins
 * @param {(place: HTMLElement) => void} table.onLift
 * @param {(from: HTMLElement, to: HTMLElement | null) => void} table.onDrop `to` is null outside any place
 * @param {(place: HTMLElement, how: {isLongPress: boolean}) => void} table.onTap `isLongPress`: for a long press that `onLook` did not use
 * @param {(place: HTMLElement, how: {isLongPress: boolean}) => boolean | void} table.onLook `isLongPress`: false for a
 *   right click; returns false if it has no meaning, so that a long press is a tap
 * @returns {{cancel: () => boolean}} `cancel` ends a drag like a drop outside any place, or a tap; it returns whether there was one
 */
export function listen(board, { places, cardOf, canDrag, onLift, onDrop, onTap, onLook }) {
  let press = null; // the current press: {id, place, x, y, over, lifted, isLongPress, hasLooked, isFixed, timer}

  const carriedCard = () => cardOf(press.place);

  function mark(place) {
    if (press.over === place) return;
    press.over?.removeAttribute("data-drag-over");
    press.over = place;
    place?.setAttribute("data-drag-over", "");
  }

  /** The place under the pointer, or else the place that the dragged card overlaps most. */
  function placeUnder(event) {
    const draggedCard = carriedCard();
    const others = [...board.querySelectorAll(places)].filter((place) => place !== press.place && !draggedCard.contains(place));
    const inside = others.find((place) => {
      const box = place.getBoundingClientRect();
      return event.clientX >= box.left && event.clientX <= box.right && event.clientY >= box.top && event.clientY <= box.bottom;
    });
    if (inside) return inside;
    const cardBox = draggedCard.getBoundingClientRect();
    const coveredShare = (place) => overlap(cardBox, place.getBoundingClientRect()) / (cardBox.width * cardBox.height);
    const best = others.reduce((a, b) => (coveredShare(b) > coveredShare(a) ? b : a));
    return coveredShare(best) > ENOUGH_OVERLAP ? best : null;
  }

  function lift() {
    clearTimeout(press.timer);
    if (!canDrag(press.place)) {
      press.isFixed = true;
      return;
    }
    press.lifted = true;
    for (const animation of carriedCard().getAnimations()) animation.cancel();
    press.place.setAttribute("data-lifted", "");
    onLift(press.place);
  }

  function release(to) {
    const { place, lifted } = press;
    clearTimeout(press.timer);
    if (lifted) {
      mark(null);
      place.removeAttribute("data-lifted");
    }
    press = null;
    if (lifted) onDrop(place, to);
  }

  board.addEventListener("pointerdown", (event) => {
    const place = event.target.closest(places);
    if (!place || press || event.button !== 0 || !event.isPrimary || event.ctrlKey) return;
    place.setPointerCapture(event.pointerId);
    press = { id: event.pointerId, place, x: event.clientX, y: event.clientY, over: null, timer: 0 };
    if (event.pointerType !== "mouse") {
      press.timer = setTimeout(() => {
        // No longer a tap, but a drag may still follow.
        press.isLongPress = true;
        press.hasLooked = onLook(place, { isLongPress: true }) !== false;
      }, LONG_PRESS_MS);
    }
  });

  board.addEventListener("pointermove", (event) => {
    if (press?.id !== event.pointerId || press.isFixed) return;
    const [dx, dy] = [event.clientX - press.x, event.clientY - press.y];
    if (!press.lifted && Math.hypot(dx, dy) >= DRAG_THRESHOLD) lift();
    if (!press?.lifted) return;
    const over = placeUnder(event); // measured before the card is moved, to avoid a second layout
    const scale = parseFloat(carriedCard().style.scale) || 1; // a scaled card would move less than the pointer
    carriedCard().style.transform = `translate(${dx / scale}px, ${dy / scale}px)`;
    mark(over);
  });

  board.addEventListener("pointerup", (event) => {
    if (press?.id !== event.pointerId) return;
    const { lifted, isLongPress = false, hasLooked, isFixed, place } = press;
    release(lifted ? placeUnder(event) : null);
    if (!lifted && !hasLooked && !isFixed) onTap(place, { isLongPress });
  });

  // Only pointer events are used. If the browser took a touch for a flick, it would swallow the next tap.
  const preventFlick = (event) => event.target.closest(places) && event.preventDefault();
  board.addEventListener("touchstart", preventFlick, { passive: false });

  const cancel = () => {
    const hadPress = press !== null;
    if (hadPress) release(null);
    return hadPress;
  };
  board.addEventListener("pointercancel", (event) => press?.id === event.pointerId && cancel());
  addEventListener("blur", cancel, { signal: pageLifetime });
  addEventListener("keydown", (event) => event.key === "Escape" && cancel(), { signal: pageLifetime });

  board.addEventListener("contextmenu", (event) => {
    event.preventDefault();
    const place = event.target.closest(places);
    if (place && !press?.lifted) onLook(place, { isLongPress: false });
  });
  // The mouse does not move the focus, so that a later Enter does not play the place that was dragged last.
  board.addEventListener("mousedown", (event) => event.preventDefault());
  board.addEventListener("dragstart", (event) => event.preventDefault());

  return { cancel };
}

function overlap(a, b) {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  return Math.max(0, width) * Math.max(0, height);
}
