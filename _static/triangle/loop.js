/** The loop of 27 places and their joints: its geometry, elements and drawing. */

import { make } from "../cardlab/elements.js";
import { putAtRest } from "../cardlab/motion.js";
import { cardFace, singleSymbol } from "./card.js";

export const NUMBERS = Array.from({ length: 27 }, (_, index) => index + 1);
const CORNERS = { 9: "right", 18: "lower", 27: "left" };

/** The next place clockwise, and the previous one. */
export const numberAfter = (number) => (number % 27) + 1;
export const numberBefore = (number) => ((number + 25) % 27) + 1;

const sideOf = (number) => (number <= 9 ? "top" : number <= 18 ? "right" : "left");

/** The steps from the start of the top edge, or from the top of the side, to a place. */
const stepOf = (number) => (number <= 9 ? number - 1 : number <= 18 ? number - 10 : 27 - number);

/** The cards in a place of a view: `H`, `CG` or `HBC`. */
export const cardsIn = ({ singles, complete }) => complete ?? singles.join("");

/** The number of places that an arrow key moves, clockwise. */
export function arrowStep(number, arrow) {
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
   * @param {boolean} [isPlayable] whether places can be chosen
   */
  constructor(root, words, isPlayable = true) {
    this.words = words;
    this.places = NUMBERS.map((number) => buildPlace(number, isPlayable));
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

  /** Draws places, reminders and joints. */
  draw(view) {
    view.places.forEach((place, index) => {
      const { at, card } = this.places[index];
      const cards = cardsIn(place);
      drawCard(card, cards, this.words);
      at.dataset.holds = place.complete ? "complete" : place.singles.length === 2 ? "two" : "single";
      this.#drawMarks(place);
    });
    view.score.joints.forEach((state, index) => (this.joints[index].dataset.state = state));
  }

  #drawMarks({ place, marks }) {
    const { marks: row } = this.place(place);
    const drawnMarks = [...row.children].map((mark) => mark.dataset.mark);
    if (drawnMarks.join() === marks.join()) return;
    const oldMarks = [...row.children];
    row.replaceChildren(
      ...marks.map((single) => {
        const index = oldMarks.findIndex((mark) => mark.dataset.mark === single);
        return index < 0 ? buildMark(single, place, this.words) : oldMarks.splice(index, 1)[0];
      }),
    );
    row.style.setProperty("--marks", marks.length);
  }
}

/** Draws the cards of a place into an element; "" draws none. */
export function drawCard(element, cards, words) {
  if ((element.dataset.card ?? "") === cards && element.innerHTML !== "") return;
  putAtRest(element);
  element.classList.toggle("undealt", !cards);
  element.innerHTML = cards ? cardFace(cards, words) : "";
  if (cards) element.dataset.card = cards;
  else delete element.dataset.card;
}

function buildPlace(number, isPlayable) {
  const card = make("span.card.undealt");
  const at = make(isPlayable ? "button.place" : "div.place", { place: number, number }, card);
  if (isPlayable) {
    at.type = "button";
    at.setAttribute("aria-describedby", "hint"); // the preview of the placement
  } else at.setAttribute("role", "img");
  const marks = make("div.marks");
  const spot = make("div.loop-place", { side: sideOf(number), position: number }, at, marks);
  setPosition(spot, stepOf(number), stepOf(number) % 2);
  return { spot, at, card, marks };
}

/** Sets an element's position along its side, and `aside` of it: on small screens the sides are zigzags. */
function setPosition(element, step, aside) {
  element.style.setProperty("--k", step);
  element.style.setProperty("--aside", aside);
}

function buildJoint(number) {
  const corner = CORNERS[number];
  const joint = make("span.joint", corner ? { joint: number, corner } : { joint: number, side: sideOf(number) });
  if (!corner) setPosition(joint, (stepOf(number) + stepOf(number + 1)) / 2, 0.5);
  joint.setAttribute("aria-hidden", "true");
  return joint;
}

function buildMark(single, place, words) {
  const card = make("span.card");
  card.innerHTML = singleSymbol(single, words);
  const mark = make("button.place.mark", { place: `mark-${place}-${single}`, number: place, mark: single }, card);
  mark.type = "button";
  mark.tabIndex = -1;
  return mark;
}
