/**
 * Draws a card of the matrix card game as inline SVG, the same for both packs: the value at the top, which no other
 * card covers, and under it an arrow to the column that the card selects.
 */

import { make } from "../cardlab/elements.js";
import { formatSigned } from "../cardlab/text.js";

const RED = "var(--suit-red)";
const BLACK = "var(--suit-black)";
const PAPER = `<rect x=".5" y=".5" width="99" height="139" rx="7" fill="var(--card-paper)" stroke="var(--card-line)"/>`;
const ARROW = "M16 59h38V50L86 66 54 82V73H16Z"; // to the right

// The suits of _static/cards/draw.py, each in a box of 100 × 100 about its own centre.
const SUITS = {
  H:
    "M0 47C-13 30-47 11-47-16-47-34-34-45-21-45-10-45-3-38 0-28" +
    " 3-38 10-45 21-45 34-45 47-34 47-16 47 11 13 30 0 47Z",
  C:
    "M-22-23a22 22 0 1 1 44 0a22 22 0 0 1-6 15A22 22 0 1 1 7 24C9 35 14 42 21 47H-21C-14 42-9 35-7 24" +
    "A22 22 0 1 1-16-8a22 22 0 0 1-6-15Z",
  D: "M0-49C9-30 21-13 37 0 21 13 9 30 0 49-9 30-21 13-37 0-21-13-9-30 0-49Z",
  S:
    "M0-48C11-29 45-11 45 15 45 29 35 38 23 38 15 38 8 34 4 27 6 37 12 43 19 47" +
    "H-19C-12 43-6 37-4 27-8 34-15 38-23 38-35 38-45 29-45 15-45-11-11-29 0-48Z",
};

/**
 * The face of a card.
 * @param {string} name `7C`, or of the special pack `L+7`
 * @param {{value: number, column: string}} face `column`: `left` or `right`
 * @param {Record<string, string>} words
 * @returns {string} SVG of 100 × 140 units
 */
export function face(name, { value, column }, words) {
  const colour = value < 0 ? RED : BLACK;
  return card(`
    ${PAPER}
    ${valueText(formatSigned(value), colour)}
    ${columnSign(column, words[`to_${column}`], colour)}
    ${cornerIndex(name, colour)}`);
}

/** The back of a card, the same for all. */
export function back() {
  const cross = (x, y) => `M${x - 9} ${y}h18M${x} ${y - 12}v24`;
  const crosses = [cross(33, 46), cross(67, 46), cross(33, 94), cross(67, 94)].join("");
  return card(`
    ${PAPER}
    <rect x="6" y="6" width="88" height="128" rx="4" fill="var(--card-back)"/>
    <g stroke="var(--card-back-line)"><path d="M50 16v108M16 70h68" stroke-dasharray="4 4"/>
    <path d="${crosses}" stroke-width="5" stroke-linecap="round"/></g>`);
}

/** An arrow, which CSS turns. */
export function arrow() {
  return `<svg class="arrow" viewBox="12 46 78 40" aria-hidden="true"><path d="${ARROW}" fill="currentColor"/></svg>`;
}

/** Points, in the colour of their sign. */
export function pointsOf(value) {
  return make("b.points", { sign: value < 0 ? "minus" : "plus" }, formatSigned(value));
}

function card(content) {
  return `<svg viewBox="0 0 100 140" aria-hidden="true" focusable="false">${content}</svg>`;
}

/** The value; two digits get a fixed width, independent of the font. */
function valueText(text, colour) {
  const width = text.length > 2 ? `textLength="84" lengthAdjust="spacingAndGlyphs"` : "";
  return `<text x="50" y="46" text-anchor="middle" font-size="50" font-weight="700" fill="${colour}" ${width}>${text}</text>`;
}

/** The column that the card selects: an arrow, and under it a word. */
function columnSign(column, word, colour) {
  const width = word.length > 5 ? `textLength="88" lengthAdjust="spacingAndGlyphs"` : "";
  const turn = column === "left" ? "rotate(180 50 66)" : "";
  return `<g class="card-column" fill="${colour}"><path transform="${turn}" d="${ARROW}"/>
    <text x="50" y="105" text-anchor="middle" font-size="28" font-weight="600" ${width}>${word}</text></g>`;
}

/** Rank and suit of a card of the standard pack, small in the lower left corner. */
function cornerIndex(name, colour) {
  const [, rank, suit] = /^(\d+|[AJQK])([SHDC])$/.exec(name) ?? [];
  if (!suit) return "";
  const x = rank.length > 1 ? 26 : 18;
  return `<g class="card-index" fill="${colour}"><text x="7" y="134" font-size="13.5">${rank}</text>
    <path transform="translate(${x + 4} 129) scale(.105)" d="${SUITS[suit]}"/></g>`;
}
