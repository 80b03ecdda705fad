/** Animates cards: short, never blocking input, and off with prefers-reduced-motion. */

const SHORT = 180; // ms
const LIFT = 800; // ms
const EASING = "cubic-bezier(.3, .1, .2, 1)";

/** The animations of cards. To ask an element for its own makes the browser lay the page out. @type {WeakMap<Element, Animation[]>} */
const running = new WeakMap();

const still = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Animates a card, which is already in its new place, from where it was, turning it over if needed.
 * @param {HTMLElement} card holds one `img`, already showing the new face
 * @param {DOMRect} from where the card was
 * @param {string} [oldFace] image address of the side it showed before, if it turns over
 * @param {number} [ms] the duration
 */
export function arrive(card, from, oldFace, ms = SHORT) {
  putAtRest(card);
  if (still.matches) return;
  const to = card.getBoundingClientRect();
  const shift = `translate(${from.left - to.left}px, ${from.top - to.top}px)`;
  let start = shift;
  if (oldFace) {
    start = `${shift} perspective(900px) rotateY(180deg)`;
    card.append(underside(card, oldFace));
  }
  const end = oldFace ? "translate(0, 0) perspective(900px) rotateY(0deg)" : "translate(0, 0)";
  const steps = [{ transform: start, zIndex: 2 }, { transform: end, zIndex: 2 }];
  const run = animate(card, steps, { duration: ms, easing: EASING });
  run.onfinish = run.oncancel = () => card.querySelector(".card-back")?.remove();
}

/** The old side of a turning card, without its name, which must not reveal a face-down card. */
function underside(card, face) {
  const image = card.querySelector("img").cloneNode();
  image.src = face;
  image.className = "card-back";
  return image;
}

/**
 * A card's centre on the screen (px), its width including CSS `scale`, and its CSS `rotate` in degrees.
 * @param {HTMLElement} card
 */
export function pose(card) {
  const box = card.getBoundingClientRect();
  const style = getComputedStyle(card);
  return {
    x: (box.left + box.right) / 2,
    y: (box.top + box.bottom) / 2,
    width: card.offsetWidth * (parseFloat(style.scale) || 1),
    angle: parseFloat(style.rotate) || 0,
  };
}

/**
 * Animates a card, which is already in its new place, from its old pose.
 * @param {HTMLElement} card
 * @param {ReturnType<typeof pose>} from
 * @param {{ms?: number, turnsUp?: boolean, to?: ReturnType<typeof pose>}} [how] `turnsUp`: it was face down; `to`: its
 *   new pose, where it is at rest and that is known
 */
export function fly(card, from, { ms = SHORT, turnsUp = false, to } = {}) {
  if (!to) putAtRest(card);
  if (still.matches) return;
  to ??= pose(card);
  const steps = turnsUp ? ["perspective(900px) rotateY(90deg)", "perspective(900px) rotateY(0deg)"] : ["none", "none"];
  animate(card, path(from, to, to, steps), { duration: ms, easing: EASING });
}

/** Animates a copy of a card to another place, where it vanishes. Call it before the card is removed. */
export function flyAway(card, to, { ms = SHORT } = {}) {
  if (still.matches) return;
  const from = pose(card);
  const board = card.closest(".board");
  const frame = board.getBoundingClientRect();
  const copy = card.cloneNode(true);
  delete copy.dataset.card; // it is no longer on the board
  Object.assign(copy.style, {
    position: "absolute",
    width: `${from.width}px`,
    left: `${from.x - from.width / 2 - frame.left}px`,
    top: `${from.y - card.offsetHeight / 2 - frame.top}px`,
    rotate: `${from.angle}deg`,
  });
  board.append(copy);
  const run = copy.animate(path(from, to, from, ["none", "none"]), { duration: ms, easing: EASING, fill: "forwards" });
  run.onfinish = run.oncancel = () => copy.remove();
}

/** Starts an animation that `putAtRest` ends. */
function animate(card, steps, options) {
  const run = card.animate(steps, options);
  running.set(card, [...(running.get(card) ?? []), run]);
  return run;
}

/** Key frames from pose to pose, for a card that is `at` one of the two. */
function path(from, to, at, transforms) {
  return [from, to].map(({ x, y, width, angle }, index) => ({
    translate: `${x - at.x}px ${y - at.y}px`,
    rotate: `${angle}deg`,
    scale: `${width / at.width}`,
    transform: transforms[index],
    zIndex: 30,
  }));
}

/** Ends a card's animations and puts it into its place. */
export function putAtRest(card) {
  for (const run of running.get(card) ?? []) run.cancel();
  running.delete(card);
  card.querySelector(".card-back")?.remove();
  if (card.style.transform) card.style.transform = "";
}

/** Lifts a card for a moment, because it is the goal. @param {number} [delay] in ms */
export function lift(card, delay = 0) {
  if (still.matches) return;
  const steps = [0, -0.09, 0].map((y) => ({
    translate: `0 ${y * card.offsetHeight}px`,
    scale: 1 - y,
    zIndex: 30,
  }));
  animate(card, steps, { delay, duration: LIFT, easing: "ease-in-out" });
}

/** Shakes an element slightly, so that a repeated message is noticed. */
export function nudge(element) {
  if (still.matches) return;
  const steps = [0, -4, 4, -2, 0].map((x) => ({ transform: `translateX(${x}px)` }));
  element.animate(steps, { duration: SHORT });
}
