/**
 * Draws the cards of Triangle Solitaire as inline SVG.
 *
 * A Complete lies on white: a large shape in its colour, hollow, half filled or filled, with the letter of the
 * colour in it for colour-blind players. A Single lies on dull paper with a dashed edge and has one
 * characteristic only: a dotted shape without colour, a blot of colour without shape, or a sample of a filling; its
 * word stands under it where that can be read (triangle.css).
 */

const COLOURS = { B: "var(--suit-blue)", R: "var(--suit-red)", G: "var(--suit-green)" };
const GREY = "var(--card-grey)";
const WHITE = "var(--card-paper)";
const PAPER = "var(--card-dull)";
const EDGE = "var(--card-dashes)";
const FAMILY = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
const FONT = `font-family="${FAMILY}" font-weight="700" text-anchor="middle"`;
const TEXT_METRICS = document.createElement("canvas").getContext("2d");
const MAX_WORD_WIDTH = 86; // in SVG units

// About their own centres, 84 wide; of each shape the whole and its left half, and where its letter is.
const SHAPES = {
  C: { whole: "M0-39A39 39 0 1 1 0 39A39 39 0 1 1 0-39Z", half: "M0-39A39 39 0 0 0 0 39Z", y: 15, size: 42 },
  S: { whole: "M-36-36H36V36H-36Z", half: "M0-36H-36V36H0Z", y: 15, size: 42 },
  T: { whole: "M0-39L43 35H-43Z", half: "M0-39L-43 35H0Z", y: 26, size: 36 },
};
// The sample of a filling has a form that is not a shape of the game, and a blot has no form.
const SAMPLE = { whole: "M-40 0L-24-30H24L40 0L24 30H-24Z", half: "M0-30H-24L-40 0L-24 30H0Z" };
const BLOT = blotPath();

/** The letter that stands for a colour: the first of its word. */
export const initialOf = (colour, words) => words[colour][0].toUpperCase();

/** Whether the cards in a place are a Complete, which has three characteristics. */
export const isComplete = (cards) => cards.length === 3;

/**
 * The face of the cards in a place.
 * @param {string} cards a Single `H`, two Singles `CG`, or a Complete `HBC`
 * @param {Record<string, string>} words `H`: "hollow" …
 * @returns {string} SVG of 100 × 110 units
 */
export function cardFace(cards, words) {
  if (isComplete(cards)) {
    return cardSvg(`${paper(1, 108, WHITE)}<g transform="translate(50 56) scale(1.06)">${completeShape(cards, words)}</g>`);
  }
  if (cards.length === 2) return cardSvg(halfCard(cards[0], 1, 28, words) + halfCard(cards[1], 56, 83, words));
  return cardSvg(`${singlePaper(1, 108)}<g class="sign">${singleSign(cards, words)}</g>${wordOf(words[cards])}`);
}

/** The word of a Single, narrowed if it would reach the edges. */
function wordOf(word) {
  const size = word.length > 7 ? 19 : 22;
  TEXT_METRICS.font = `700 ${size}px ${FAMILY}`;
  const fit = TEXT_METRICS.measureText(word).width > MAX_WORD_WIDTH ? `textLength="${MAX_WORD_WIDTH}" lengthAdjust="spacingAndGlyphs"` : "";
  return `<text x="50" y="101" font-size="${size}" ${FONT} ${fit} fill="var(--suit-black)">${word}</text>`;
}

/** A Single as a reminder, a spare or in a sentence: square, with only its sign. */
export function singleSymbol(name, words) {
  return svg(
    "0 0 100 100",
    `<rect x="2" y="2" width="96" height="96" rx="14" fill="${PAPER}" stroke="${EDGE}" stroke-width="3"
      stroke-dasharray="9 6"/>
    <g transform="translate(50 50) scale(.9)">${singleSign(name, words, 62)}</g>`,
  );
}

/**
 * A Complete without its card and letter, for the list of upcoming cards.
 * @param {Iterable<string>} name its three letters
 */
export function completeSymbol([filling, colour, form]) {
  return svg("-50 -50 100 100", filledShape(SHAPES[form], filling, COLOURS[colour]));
}

/** The back of the deck. */
export function cardBack() {
  const rows = [25, 55, 85].map((y) => `M25 ${y - 9}h16l-8 14zM59 ${y - 9}h16l-8 14z`).join("");
  return cardSvg(`${paper(1, 108, WHITE)}<rect x="6" y="6" width="88" height="98" rx="4" fill="var(--card-back)"/>
    <path d="${rows}" fill="none" stroke="var(--card-back-line)" stroke-width="3" stroke-linejoin="round"/>`);
}

function svg(box, content) {
  return `<svg viewBox="${box}" aria-hidden="true" focusable="false">${content}</svg>`;
}

function cardSvg(content) {
  return svg("0 0 100 110", content);
}

function paper(y, height, fill) {
  const size = `x="1" y="${y}" width="98" height="${height}" rx="7"`;
  return `<rect ${size} fill="${fill}" stroke="var(--card-line)"/>`;
}

/** The paper of a Single: dull, and its edge dashed. */
function singlePaper(y, height) {
  return `${paper(y, height, PAPER)}<rect x="5" y="${y + 4}" width="90" height="${height - 8}" rx="4" fill="none"
    stroke="${EDGE}" stroke-width="2" stroke-dasharray="7 5"/>`;
}

/** One of two Singles in a place. */
function halfCard(name, y, middle, words) {
  return `${singlePaper(y, 53)}<g transform="translate(50 ${middle}) scale(.54)">${singleSign(name, words, 56)}</g>`;
}

/**
 * In a half filled shape the letter has a white edge, so that it is legible on both halves.
 * @param {Iterable<string>} name the three letters of a Complete
 * @param {Record<string, string>} words
 */
function completeShape([filling, colour, form], words) {
  const { y, size } = SHAPES[form];
  const ink = COLOURS[colour];
  const edge = filling === "P" ? `stroke="${WHITE}" stroke-width="11" stroke-linejoin="round" paint-order="stroke"` : "";
  const text = colourLetter(initialOf(colour, words), y, size, filling === "F" ? WHITE : ink, edge);
  return filledShape(SHAPES[form], filling, ink) + text;
}

function colourLetter(text, y, size, ink, edge = "") {
  return `<text y="${y}" font-size="${size}" ${FONT} fill="${ink}" ${edge}>${text}</text>`;
}

function filledShape({ whole, half: left }, filling, ink) {
  const inside = filling === "F" ? ink : WHITE;
  const outline = `<path d="${whole}" fill="${inside}" stroke="${ink}" stroke-width="7" stroke-linejoin="round"/>`;
  return filling === "P" ? `${outline}<path d="${left}" fill="${ink}"/>` : outline;
}

/** The one characteristic of a Single; the letter of a colour in this size. */
function singleSign(name, words, size = 48) {
  if (name in SHAPES) {
    const dots = `stroke-dasharray="2 11" stroke-linecap="round"`;
    return `<path d="${SHAPES[name].whole}" fill="none" stroke="${GREY}" stroke-width="7" ${dots}/>`;
  }
  if (name in COLOURS) {
    const text = colourLetter(initialOf(name, words), size * 0.36, size, WHITE);
    return `<path d="${BLOT}" fill="${COLOURS[name]}"/>${text}`;
  }
  return filledShape(SAMPLE, name, GREY);
}

/** A blot of paint. */
function blotPath() {
  const points = Array.from({ length: 120 }, (_, step) => {
    const turn = (step / 120) * 2 * Math.PI;
    const radius = 36 + 4 * Math.cos(5 * turn + 0.6) + 3 * Math.sin(3 * turn + 1) + 3 * Math.sin(8 * turn);
    return `${(radius * Math.cos(turn)).toFixed(1)} ${(radius * Math.sin(turn)).toFixed(1)}`;
  });
  return `M${points.join("L")}Z`;
}
