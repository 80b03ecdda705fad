/** Lays out both hands in lanes, one for each suit, with the largest cards that fit without covering an index. */

const MIN_TOUCH = 44; // px of a card that a finger needs, in both directions
const MAX_WIDTH = 260; // px, the width of a card
const SHRINK_STEP = 0.95; // between the widths that are tried
const KEEP_WIDTH_FACTOR = 1.2; // cards keep their width until they can grow by this factor
const INDEX_WIDTH = 0.45; // the width of a card's index, in widths of a card
const GAP = 4; // px between the lines of a hand
const OTHER_HAND_SCALE = 0.62; // the width of the opponent's cards, relative to one's own
const COUNT_WIDTH = 120; // px beside the cards on the table, for their number

/**
 * The layouts, beginning with the one that shows most. `own` and `other`: the visible part of a card's height in each hand, in card
 * widths; `least`: the minimum card width in px; `wraps`: a lane may take several lines; `flows`: a lane continues on the
 * line of the one before.
 */
const LAYOUTS = [
  { own: 1.4, other: 1.4, least: 92 },
  { own: 1.4, other: 0.7, least: 64 },
  { own: 0.75, other: 0.55, least: 60 },
  { own: 0.75, other: 0.55, least: 60, wraps: true },
  { own: 0.75, other: 0.55, least: 45, flows: true },
];

export class Lanes {
  /** @param {{arena: HTMLElement, "hand-near": HTMLElement, "hand-far": HTMLElement, table: HTMLElement}} parts */
  constructor(parts) {
    this.parts = parts;
    this.counts = null; // of the cards in the lanes of each hand, and on the table
    this.current = null; // the current layout and card width
    this.width = 0;
    this.arenaSize = null; // cached, because measuring makes the browser lay out the page
    const observer = new ResizeObserver(() => {
      this.arenaSize = null;
      if (this.counts) this.#layOut();
    });
    for (const part of [parts.arena, ...parts.arena.querySelectorAll(".seat-label")]) observer.observe(part);
  }

  /** @param {{near: number[], far: number[], table: number, hidden: boolean}} counts */
  arrange(counts) {
    this.counts = counts;
    this.#layOut();
  }

  #layOut() {
    this.arenaSize ??= this.#measure();
    const { arenaSize } = this;
    if (arenaSize.width < MIN_TOUCH) return;
    if (arenaSize.width !== this.width) this.current = null;
    this.width = arenaSize.width;
    const best = this.#largestLayout(arenaSize);
    const keepsWidth = this.current?.layout === best.layout && best.card < this.current.card * KEEP_WIDTH_FACTOR;
    const { card, layout, near, far, pile } = (keepsWidth && this.#fit(arenaSize, this.current)) || best;
    this.current = { card, layout };
    applySizes(this.parts["hand-near"], near);
    applySizes(this.parts["hand-far"], far);
    applySizes(this.parts.table, pile);
  }

  /** The size of the arena without the seat labels, in px. */
  #measure() {
    const { arena } = this.parts;
    const width = Math.floor(arena.getBoundingClientRect().width) - 1;
    const others = [...arena.querySelectorAll(".seat-label")].reduce((sum, label) => sum + label.offsetHeight, 0);
    return { width, height: arena.closest(".board-frame") ? arena.clientHeight - others - 5 * GAP : Infinity };
  }

  /** Finds the layout and card width that show most. */
  #largestLayout(arenaSize) {
    for (const layout of LAYOUTS) {
      for (let card = MAX_WIDTH; card >= layout.least; card *= SHRINK_STEP) {
        const sizes = this.#fit(arenaSize, { card, layout });
        if (sizes) return sizes;
      }
    }
    const layout = LAYOUTS.at(-1);
    return this.#fit({ ...arenaSize, height: Infinity }, { card: layout.least, layout });
  }

  /** The sizes of all parts at a width of one's own cards; null if they do not fit. */
  #fit({ width, height }, { card, layout }) {
    const { near: own, far: others, hidden, table } = this.counts;
    const aside = Math.max(40, card * OTHER_HAND_SCALE);
    const near = handLayout(own, { width, card, shown: Math.max(MIN_TOUCH, card * layout.own), least: MIN_TOUCH, layout });
    const far = hidden
      ? hiddenHandLayout(others[0], { width, card: aside, shown: aside * layout.other })
      : handLayout(others, { width, card: aside, shown: Math.max(22, aside * layout.other), least: 0, layout });
    if (!near || !far) return null;
    const shown = Math.max(MIN_TOUCH, card * layout.own);
    const pile = { card, shown, step: Math.min(card * 0.6, (width - card - COUNT_WIDTH) / Math.max(1, table - 1)) };
    return near.height + far.height + shown + 2 * GAP <= height ? { card, layout, near, far, pile } : null;
  }
}

/** The arrangement of a hand's lanes, next to each other and in lines, with the least height; null if a lane does not fit. */
function handLayout(counts, { width, card, shown, least, layout }) {
  const step = Math.max(least, card * INDEX_WIDTH);
  const maxCount = Math.max(1, ...counts);
  const inLine = (across, lineWidth = (width - GAP * 2 * (across - 1)) / across) => ({
    lineWidth,
    cards: Math.floor((lineWidth - card) / step) + 1,
  });
  if (layout.flows) {
    const { cards, lineWidth } = inLine(1);
    const lines = Math.ceil(counts.reduce((sum, count) => sum + count, 0) / cards);
    return { card, shown, step: Math.min(card, (lineWidth - card) / (cards - 1)), across: 0, height: lines * (shown + GAP) };
  }
  const candidates = [4, 2, 1].map((across) => {
    const { cards, lineWidth } = inLine(across);
    if (cards < (layout.wraps ? Math.min(2, maxCount) : maxCount)) return null;
    let lines = 0;
    for (let first = 0; first < counts.length; first += across) {
      lines += Math.ceil(Math.max(...counts.slice(first, first + across)) / cards);
    }
    const spread = Math.min(card, (lineWidth - card) / (Math.min(maxCount, cards) - 1 || 1));
    return { card, shown, step: spread, across, height: lines * (shown + GAP) };
  });
  return candidates.filter(Boolean).sort((a, b) => a.height - b.height)[0] ?? null;
}

/** The opponent's hidden cards, in one line. */
function hiddenHandLayout(count, { width, card, shown }) {
  const step = Math.min(card * 0.5, (width - card) / Math.max(1, count - 1));
  return { card, shown, step, across: 1, height: shown + GAP };
}

/** Gives a hand or the table its sizes. @param {HTMLElement} part  @param {any} sizes */
function applySizes(part, { card, shown, step, across }) {
  for (const [name, length] of Object.entries({ card, shown, step: Math.floor(step * 10) / 10 })) {
    part.style.setProperty(`--${name}`, `${length}px`);
  }
  if (across === undefined) return;
  part.style.setProperty("--across", String(across));
  part.dataset.lanes = String(across);
}
