/** Builds the repeated elements of the board: crosses, sides, slots and hand places. */

import { make, hideFromScreenReaders } from "../cardlab/elements.js";
import { arrow } from "./card.js";

export const HAND_SIZE = 7;
export const COLUMNS = ["left", "right"];
export const ROWS = ["far", "near"];
const SPARE = 4; // px that values may protrude from a cross
export const SIDES = ["left", "far", "right", "near"];

/**
 * Builds the table and the places of the hand.
 * @param {HTMLElement} root the board of `_templates/matrix/Board.html`
 * @param {Record<string, string>} words
 * @returns {Record<string, any>} elements, by their ids among other names
 */
export function build(root, words) {
  const at = (id) => root.querySelector(`#${id}`);
  const table = root.querySelector(".card-table");
  const lanes = [...COLUMNS, ...ROWS].map((lane) => make("span.lane", { lane }));
  const crosses = ROWS.flatMap((row) => COLUMNS.map((column) => buildCross(row, column, words)));
  const sides = Object.fromEntries(SIDES.map((side) => [side, buildSide(side, words)]));
  const hand = Array.from({ length: HAND_SIZE }, (_, index) => buildHandPlace(index + 1));
  // In the order for keyboard and screen readers.
  table.replaceChildren(...lanes, ...crosses.map((cross) => cross.place));
  for (const side of SIDES) table.append(sides[side].plate, ...Object.values(sides[side].slots).map((slot) => slot.at));
  at("tray").replaceChildren(...hand.map((place) => place.at));
  watchWidth(root, crosses);
  const ids = ["turn", "stock", "last", "status", "deadline", "keep", "tray"];
  return {
    ...Object.fromEntries(ids.map((id) => [id, at(id)])),
    stockCard: root.querySelector(".stock"),
    lanes,
    crosses,
    sides,
    hand,
  };
}

function buildCross(row, column, words) {
  const [own, across] = [make("span.card.own.undealt"), make("span.card.across.undealt")];
  const number = 1 + 2 * ROWS.indexOf(row) + COLUMNS.indexOf(column);
  const tag = hideFromScreenReaders(make("span.turn-tag", {}, make("span", {}, words.turn_this)));
  const key = hideFromScreenReaders(make("kbd", {}, String(number)));
  const values = hideFromScreenReaders(make("span.cross-values"));
  const place = make("button.place.cross", { place: `${row}-${column}`, row, column }, own, across, tag, key, values);
  place.type = "button";
  return { place, own, across, values };
}

/** Gives the values under the crosses two lines if one is too short, for example with wide text spacing. */
function watchWidth(root, crosses) {
  const observer = new ResizeObserver(() => {
    root.toggleAttribute("data-two-lines", crosses.some(isTooNarrow));
  });
  for (const { place, values } of crosses) for (const element of [place, values]) observer.observe(element);
}

function isTooNarrow({ place, values }) {
  const widths = Array.from(values.children, (pair) => pair.offsetWidth);
  const gap = parseFloat(getComputedStyle(values).columnGap) || 0;
  return widths.reduce((sum, width) => sum + gap + width, -gap) > place.clientWidth + SPARE;
}

function buildSide(side, words) {
  const slots = Object.fromEntries(["left", "right", "down"].map((slot) => [slot, buildSlot(side, slot, words)]));
  const parts = {
    tag: make("span.turn-tag"),
    name: make("b.player-name"),
    score: make("span.score"),
    pile: make("span.card.pile.undealt"),
    count: make("span.card-count"),
  };
  const plate = make("div.seat-label", { side }, ...Object.values(parts));
  return { plate, slots, ...parts };
}

function buildSlot(side, slot, words) {
  const card = make("span.card.undealt");
  const at = make("div.slot", { side, slot }, card);
  if (side === "near" && slot !== "down") {
    Object.assign(at.dataset, { place: `slot-${slot}`, column: slot });
    at.classList.add("place");
    at.append(make("span.slot-tag", {}, words.tag_your_card));
  }
  const lane = { near: words[`to_${slot}`], far: words.their_column }[side] ?? words.their_row;
  if (slot !== "down") at.prepend(buildSlotLabel(lane));
  return { at, card };
}

/** The label of an empty slot: an arrow along the lane that a card there selects, and a word. */
function buildSlotLabel(word) {
  const label = hideFromScreenReaders(make("span.slot-label", {}, make("span", {}, word)));
  label.insertAdjacentHTML("afterbegin", arrow());
  return label;
}

function buildHandPlace(number) {
  const card = make("span.card.undealt");
  const at = make("button.place", { place: `hand-${number}` }, card, hideFromScreenReaders(make("kbd", {}, String(number))));
  at.type = "button";
  return { at, card };
}
