/** Builds the board except for the loop: spares, upcoming cards, score diagram. */

import { make, hideFromScreenReaders } from "../cardlab/elements.js";
import { cardBack, initialOf, completeSymbol, singleSymbol } from "./card.js";

const FILLINGS = ["H", "P", "F"];
const COLOURS = ["B", "R", "G"];
const SHAPES = ["C", "S", "T"];

/**
 * Builds the spares and the upcoming cards, and collects the other elements.
 * @param {HTMLElement} root the board of `_templates/triangle/Board.html`
 * @param {Record<string, string>} words
 * @returns {Record<string, any>} elements, by their ids among other names
 */
export function build(root, words) {
  const ids = ["loop", "deck", "revealed", "name", "hint", "discarded", "total", "picture", "spares", "discards"];
  const at = Object.fromEntries(ids.map((id) => [id, root.querySelector(`#${id}`)]));
  at.deck.innerHTML = cardBack();
  return {
    ...at,
    card: at.revealed.querySelector(".card"),
    left: root.querySelector("#cards-left"),
    points: {
      sides: root.querySelector("#sides"),
      corners: root.querySelector("#corners"),
      discontinuities: root.querySelector("#discontinuities"),
      discarded: root.querySelector("#discarded-points"),
    },
    discardsCount: root.querySelector("#discards-count"),
    tray: buildTray(at.spares, words),
    toCome: { section: root.querySelector(".upcoming-cards"), cards: buildUpcoming(root.querySelector("#to-come"), words) },
  };
}

/** Builds the nine Singles with the number of spares of each. */
function buildTray(root, words) {
  const spares = [...FILLINGS, ...COLOURS, ...SHAPES].map((single) => {
    const [card, count] = [make("span.card"), make("span.card-count")];
    card.innerHTML = singleSymbol(single, words);
    const at = make("div.place.spare", { place: `spare-${single}`, single }, card, count, make("kbd", {}, single));
    at.setAttribute("role", "img");
    return [single, { at, card, count }];
  });
  root.replaceChildren(...spares.map(([, { at }]) => at));
  return Object.fromEntries(spares);
}

/** Builds the grid of all Completes: rows by filling, columns by colour, with headings, and shape. */
function buildUpcoming(root, words) {
  const names = FILLINGS.flatMap((fill) => COLOURS.flatMap((colour) => SHAPES.map((shape) => fill + colour + shape)));
  const cards = names.map((name) => {
    const cell = make("span.card.upcoming-card", { complete: name });
    cell.setAttribute("role", "listitem");
    cell.innerHTML = completeSymbol(name);
    return [name, cell];
  });
  // Hidden from screen readers, because each cell has its own name.
  const heads = COLOURS.map((colour) => hideFromScreenReaders(make("b.colour-heading", {}, initialOf(colour, words))));
  root.replaceChildren(...heads, ...cards.map(([, cell]) => cell));
  return Object.fromEntries(cards);
}

/** The score diagram, a small triangle: solid lines match, broken ones do not, thin ones are open. */
export function scoreDiagram({ sides, corners }) {
  const lines = { top: "M16 6H84", right: "M91 13L56 70", left: "M44 70L9 13" };
  const points = { right: [92, 6], lower: [50, 76], left: [8, 6] };
  const elements = [
    ...Object.entries(sides).map(([side, state]) => `<path class="${state}" d="${lines[side]}"/>`),
    ...Object.entries(corners).map(([corner, state]) => cornerOf(points[corner], state)),
  ];
  return `<svg viewBox="0 0 100 84" focusable="false">${elements.join("")}</svg>`;
}

function cornerOf([x, y], state) {
  if (state === "mismatch") return `<path class="${state}" d="M${x - 4} ${y - 4}l8 8m0-8l-8 8"/>`;
  return `<circle class="${state}" cx="${x}" cy="${y}" r="${state === "match" ? 5.5 : 3.5}"/>`;
}
