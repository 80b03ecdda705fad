/** The loop of 27 places and their joints: its geometry, elements and drawing. */

import { make } from "../cardlab/elements.js";
import { putAtRest } from "../cardlab/motion.js";
import { face, token } from "./card.js";

export const NUMBERS = Array.from({ length: 27 }, (_, index) => index + 1);
const CORNERS = { 9: "right", 18: "lower", 27: "left" };

/** The next place clockwise, and the previous one. */
export const after = (number) => (number % 27) + 1;
export const before = (number) => ((number + 25) % 27) + 1;

const sideOf = (number) => (number <= 9 ? "top" : number <= 18 ? "right" : "left");

/** The steps from the start of the top edge, or from the top of the side, to a place. */
const stepOf = (number) => (number <= 9 ? number - 1 : number <= 18 ? number - 10 : 27 - number);

/** The cards in a place of a view: `H`, `CG` or `HBC`. */
export const lying = ({ singles, complete }) => complete ?? singles.join("");

/** The number of places that an arrow key moves, clockwise. */
export function stepTo(number, arrow) {
  const side = sideOf(number);
  if (side === "top") {
    if (arrow === "ArrowDown") return number === 9 ? 1 : number === 1 ? -1 : 0;
    return { ArrowRight: 1, ArrowLeft: -1 }[arrow] ?? 0;
  }
  const down = side === "right" ? 1 : -1;
  return { ArrowDown: down, ArrowUp: -down, ArrowLeft: 1, ArrowRight: -1 }[arrow];
}

export class Loop {
  /**
   * @param {HTMLElement} root an empty element
   * @param {Record<string, string>} words
   * @param {boolean} [playable] whether places can be chosen
   */
  constructor(root, words, playable = true) {
    this.words = words;
    this.places = NUMBERS.map((number) => buildPlace(number, playable));
    this.joints = NUMBERS.map(buildJoint);
    // In the order for keyboard and screen readers.
    root.replaceChildren(...this.places.map(({ spot }) => spot), ...this.joints);
  }

  /** The place of this number: its `spot`, its button `at`, its `card`, and its `marks`. */
  place(number) {
    return this.places[number - 1];
  }

  joint(number) {
    return this.joints[number - 1];
  }

  /** Draw places, reminders and joints. */
  draw(view) {
    view.places.forEach((place, index) => {
      const { at, card } = this.places[index];
      const there = lying(place);
      drawCard(card, there, this.words);
      at.dataset.holds = place.complete ? "complete" : place.singles.length === 2 ? "two" : "single";
      this.#drawMarks(place);
    });
    view.score.joints.forEach((state, index) => (this.joints[index].dataset.state = state));
  }

  #drawMarks({ place, marks }) {
    const { marks: row } = this.place(place);
    const drawn = [...row.children].map((mark) => mark.dataset.mark);
    if (drawn.join() === marks.join()) return;
    const kept = [...row.children];
    row.replaceChildren(
      ...marks.map((single) => {
        const index = kept.findIndex((mark) => mark.dataset.mark === single);
        return index < 0 ? buildMark(single, place, this.words) : kept.splice(index, 1)[0];
      }),
    );
    row.style.setProperty("--marks", marks.length);
  }
}

/** Draws a card, or with "" none, into its element. */
export function drawCard(element, there, words) {
  if ((element.dataset.card ?? "") === there && element.innerHTML !== "") return;
  putAtRest(element);
  element.classList.toggle("undealt", !there);
  element.innerHTML = there ? face(there, words) : "";
  if (there) element.dataset.card = there;
  else delete element.dataset.card;
}

function buildPlace(number, playable) {
  const card = make("span.card.undealt");
  const at = make(playable ? "button.place" : "div.place", { place: number, number }, card);
  if (playable) {
    at.type = "button";
    at.setAttribute("aria-describedby", "hint"); // the preview of the placement
  } else at.setAttribute("role", "img");
  const marks = make("div.marks");
  const spot = make("div.loop-place", { side: sideOf(number), position: number }, at, marks);
  placeAt(spot, stepOf(number), stepOf(number) % 2);
  return { spot, at, card, marks };
}

/** Tell how far along its side something is, and how far `aside`: where there is little room, sides are zigzags. */
function placeAt(element, step, aside) {
  element.style.setProperty("--k", step);
  element.style.setProperty("--aside", aside);
}

function buildJoint(number) {
  const corner = CORNERS[number];
  const joint = make("span.joint", corner ? { joint: number, corner } : { joint: number, side: sideOf(number) });
  if (!corner) placeAt(joint, (stepOf(number) + stepOf(number + 1)) / 2, 0.5);
  joint.setAttribute("aria-hidden", "true");
  return joint;
}

function buildMark(single, place, words) {
  const card = make("span.card");
  card.innerHTML = token(single, words);
  const mark = make("button.place.mark", { place: `mark-${place}-${single}`, number: place, mark: single }, card);
  mark.type = "button";
  mark.tabIndex = -1;
  return mark;
}
