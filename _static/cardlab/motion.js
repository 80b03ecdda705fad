/** Card motion, short and never in the way: nothing waits for it, and reduced-motion turns it off. */

const SHORT = 180; // ms

const still = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Let a card that already lies in its new place come from where it was, turning over if it does so.
 * @param {HTMLElement} card holds one `img`, already showing the new face
 * @param {DOMRect} from where the card was seen last
 * @param {string} [oldFace] image address of the side it showed before, if it turns over
 */
export function arrive(card, from, oldFace) {
  settle(card);
  if (still.matches) return;
  const to = card.getBoundingClientRect();
  const shift = `translate(${from.left - to.left}px, ${from.top - to.top}px)`;
  let start = shift;
  if (oldFace) {
    start = `${shift} perspective(900px) rotateY(180deg)`;
    card.append(underside(card, oldFace));
  }
  const end = oldFace ? "translate(0, 0) perspective(900px) rotateY(0deg)" : "translate(0, 0)";
  const run = card.animate([{ transform: start, zIndex: 2 }, { transform: end, zIndex: 2 }], {
    duration: SHORT,
    easing: "cubic-bezier(.3, .1, .2, 1)",
  });
  run.onfinish = run.oncancel = () => card.querySelector(".underside")?.remove();
}

/** The side a turning card showed before. It has no name: what lies face down must not be told. */
function underside(card, face) {
  const image = card.querySelector("img").cloneNode();
  image.src = face;
  image.className = "underside";
  return image;
}

/** Put a card at rest in its place, at once. */
export function settle(card) {
  for (const run of card.getAnimations()) run.cancel();
  card.querySelector(".underside")?.remove();
  card.style.transform = "";
}

/** A small shake of the board's message, so that a sentence said twice is noticed twice. */
export function nudge(element) {
  if (still.matches) return;
  const steps = [0, -4, 4, -2, 0].map((x) => ({ transform: `translateX(${x}px)` }));
  element.animate(steps, { duration: SHORT });
}
