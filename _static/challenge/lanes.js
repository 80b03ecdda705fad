/** Lays out both hands in lanes, one for each suit, with the largest cards with which all fit and no index is covered. */

const LEAST = 44; // px of a card that a finger needs, in both directions
const LARGEST = 260; // px, the width of a card
const SMALLER = 0.95; // from one width that is tried to the next
const STAYS = 1.2; // cards keep their width until they can be so many times as wide
const INDEX = 0.45; // the width of a card's index, in widths of a card
const GAP = 4; // px between the lines of a hand
const ASIDE = 0.62; // the width of the other's cards, in widths of the own
const COUNT = 120; // px beside the cards on the table, for their number

/**
 * How much is shown of a card's height, in widths: of the own, of the other's; the least width for it, in px; whether a
 * lane may take several lines, or go on where the one before ends.
 */
const WAYS = [
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
    this.kept = null; // the newest way and width
    this.width = 0;
    this.room = null; // measured again when something changes its size, because to measure takes a layout of the page
    const resized = new ResizeObserver(() => {
      this.room = null;
      if (this.counts) this.#arrange();
    });
    for (const part of [parts.arena, ...parts.arena.querySelectorAll(".seat-label")]) resized.observe(part);
  }

  /** @param {{near: number[], far: number[], table: number, hidden: boolean}} counts */
  arrange(counts) {
    this.counts = counts;
    this.#arrange();
  }

  #arrange() {
    this.room ??= this.#measure();
    const { room } = this;
    if (room.width < LEAST) return;
    if (room.width !== this.width) this.kept = null;
    this.width = room.width;
    const best = this.#largest(room);
    const stays = this.kept?.way === best.way && best.card < this.kept.card * STAYS;
    const { card, way, near, far, pile } = (stays && this.#fit(room, this.kept)) || best;
    this.kept = { card, way };
    show(this.parts["hand-near"], near);
    show(this.parts["hand-far"], far);
    show(this.parts.table, pile);
  }

  /** The size of the arena without the seat labels, in px. */
  #measure() {
    const { arena } = this.parts;
    const width = Math.floor(arena.getBoundingClientRect().width) - 1;
    const others = [...arena.querySelectorAll(".seat-label")].reduce((sum, label) => sum + label.offsetHeight, 0);
    return { width, height: arena.closest(".board-frame") ? arena.clientHeight - others - 5 * GAP : Infinity };
  }

  /** The way and width that show most. */
  #largest(room) {
    for (const way of WAYS) {
      for (let card = LARGEST; card >= way.least; card *= SMALLER) {
        const fitted = this.#fit(room, { card, way });
        if (fitted) return fitted;
      }
    }
    const way = WAYS.at(-1);
    return this.#fit({ ...room, height: Infinity }, { card: way.least, way });
  }

  /** The sizes of all parts at a width of the own cards, or null if they do not fit. */
  #fit({ width, height }, { card, way }) {
    const { near: own, far: others, hidden, table } = this.counts;
    const aside = Math.max(40, card * ASIDE);
    const near = hand(own, { width, card, shown: Math.max(LEAST, card * way.own), least: LEAST, way });
    const far = hidden
      ? backs(others[0], { width, card: aside, shown: aside * way.other })
      : hand(others, { width, card: aside, shown: Math.max(22, aside * way.other), least: 0, way });
    if (!near || !far) return null;
    const shown = Math.max(LEAST, card * way.own);
    const pile = { card, shown, step: Math.min(card * 0.6, (width - card - COUNT) / Math.max(1, table - 1)) };
    return near.height + far.height + shown + 2 * GAP <= height ? { card, way, near, far, pile } : null;
  }
}

/** The lanes of a hand beside each other and in lines, so that they are as low as possible; null if one does not fit. */
function hand(counts, { width, card, shown, least, way }) {
  const step = Math.max(least, card * INDEX);
  const most = Math.max(1, ...counts);
  const inLine = (across, room = (width - GAP * 2 * (across - 1)) / across) => ({
    room,
    cards: Math.floor((room - card) / step) + 1,
  });
  if (way.flows) {
    const { cards, room } = inLine(1);
    const lines = Math.ceil(counts.reduce((sum, count) => sum + count, 0) / cards);
    return { card, shown, step: Math.min(card, (room - card) / (cards - 1)), across: 0, height: lines * (shown + GAP) };
  }
  const found = [4, 2, 1].map((across) => {
    const { cards, room } = inLine(across);
    if (cards < (way.wraps ? Math.min(2, most) : most)) return null;
    let lines = 0;
    for (let first = 0; first < counts.length; first += across) {
      lines += Math.ceil(Math.max(...counts.slice(first, first + across)) / cards);
    }
    const spread = Math.min(card, (room - card) / (Math.min(most, cards) - 1 || 1));
    return { card, shown, step: spread, across, height: lines * (shown + GAP) };
  });
  return found.filter(Boolean).sort((one, other) => one.height - other.height)[0] ?? null;
}

/** The hidden cards of the other, in one line. */
function backs(count, { width, card, shown }) {
  const step = Math.min(card * 0.5, (width - card) / Math.max(1, count - 1));
  return { card, shown, step, across: 1, height: shown + GAP };
}

/** Gives a hand or the table its sizes. @param {HTMLElement} part  @param {any} sizes */
function show(part, { card, shown, step, across }) {
  for (const [name, length] of Object.entries({ card, shown, step: Math.floor(step * 10) / 10 })) {
    part.style.setProperty(`--${name}`, `${length}px`);
  }
  if (across === undefined) return;
  part.style.setProperty("--across", String(across));
  part.dataset.lanes = String(across);
}
