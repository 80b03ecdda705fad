/** Animates cards briefly, without blocking input. With prefers-reduced-motion, animations are off. */

const SHORT_MS = 180;
const LIFT_MS = 800;
const EASING = "cubic-bezier(.3, .1, .2, 1)";

/** The running animations of cards. `getAnimations` would make the browser lay out the page. @type {WeakMap<Element, Animation[]>} */
const running = new WeakMap();

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/**
 * Animates a card, which is already in its new place, from where it was, turning it over if needed.
 * @param {HTMLElement} card holds one `img`, already showing the new face
 * @param {DOMRect} from where the card was
 * @param {string} [oldFace] image address of its previous side, if it turns over
 * @param {number} [ms] the duration
 */
export function arrive(card, from, oldFace, ms = SHORT_MS) {
  putAtRest(card);
  if (reducedMotion.matches) return;
  const to = card.getBoundingClientRect();
  const shift = `translate(${from.left - to.left}px, ${from.top - to.top}px)`;
  let start = shift;
  if (oldFace) {
    start = `${shift} perspective(900px) rotateY(180deg)`;
    card.append(underside(card, oldFace));
  }
  const end = oldFace ? "translate(0, 0) perspective(900px) rotateY(0deg)" : "translate(0, 0)";
  const steps = [{ transform: start, zIndex: 2 }, { transform: end, zIndex: 2 }];
  const animation = animate(card, steps, { duration: ms, easing: EASING });
  animation.onfinish = animation.oncancel = () => card.querySelector(".card-back")?.remove();
}

/** The old side of a turning card. It has no name, which could reveal a face-down card. */
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
export function poseOf(card) {
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
 * @param {ReturnType<typeof poseOf>} from
 * @param {{ms?: number, turnsUp?: boolean, to?: ReturnType<typeof poseOf>}} [how] `turnsUp`: it was face down; `to`: its
 *   new pose at rest, if known
 */
export function fly(card, from, { ms = SHORT_MS, turnsUp = false, to } = {}) {
  if (!to) putAtRest(card);
  if (reducedMotion.matches) return;
  to ??= poseOf(card);
  const steps = turnsUp ? ["perspective(900px) rotateY(90deg)", "perspective(900px) rotateY(0deg)"] : ["none", "none"];
  animate(card, keyframesBetween(from, to, to, steps), { duration: ms, easing: EASING });
}

/** Animates a copy of a card to another place, where it disappears. Call it before the card is removed. */
export function flyAway(card, to, { ms = SHORT_MS } = {}) {
  if (reducedMotion.matches) return;
  const from = poseOf(card);
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
  const animation = copy.animate(keyframesBetween(from, to, from, ["none", "none"]), { duration: ms, easing: EASING, fill: "forwards" });
  animation.onfinish = animation.oncancel = () => copy.remove();
}

/** Starts an animation that `putAtRest` ends. */
function animate(card, steps, options) {
  const animation = card.animate(steps, options);
  running.set(card, [...(running.get(card) ?? []), animation]);
  return animation;
}

/** The keyframes from one pose to another, for a card that is `at` one of the two. */
function keyframesBetween(from, to, anchor, transforms) {
  return [from, to].map(({ x, y, width, angle }, index) => ({
    translate: `${x - anchor.x}px ${y - anchor.y}px`,
    rotate: `${angle}deg`,
    scale: `${width / anchor.width}`,
    transform: transforms[index],
    zIndex: 30,
  }));
}

/** Ends a card's animations and puts it into its place. */
export function putAtRest(card) {
  for (const animation of running.get(card) ?? []) animation.cancel();
  running.delete(card);
  card.querySelector(".card-back")?.remove();
  if (card.style.transform) card.style.transform = "";
}

/** Lifts a card for a moment, because it is the goal. @param {number} [delay] in ms */
export function lift(card, delay = 0) {
  if (reducedMotion.matches) return;
  const steps = [0, -0.09, 0].map((y) => ({
    translate: `0 ${y * card.offsetHeight}px`,
    scale: 1 - y,
    zIndex: 30,
  }));
  animate(card, steps, { delay, duration: LIFT_MS, easing: "ease-in-out" });
}

/** Shakes an element slightly, so that a repeated message is noticed. */
export function nudge(element) {
  if (reducedMotion.matches) return;
  const steps = [0, -4, 4, -2, 0].map((x) => ({ transform: `translateX(${x}px)` }));
  element.animate(steps, { duration: SHORT_MS });
}
