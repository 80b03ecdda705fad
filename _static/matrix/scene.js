/**
 * Draws a scene, which is the visible state of table and hand, and animates cards between scenes.
 *
 * A scene is a view with these changes: `hand`: cards by place, null for an empty one; `slots`: played cards by seat,
 * null if face down; `selected`: the marked cell; `waiting`: the marked seats; `rotating`: whether crosses can be
 * turned here; `open`: whether a card can be chosen; `away`: the seats of absent participants.
 */

import { giveName, make, setText } from "../cardlab/elements.js";
import { arrive, fly, flyAway, pose, putAtRest } from "../cardlab/motion.js";
import { fill, signed } from "../cardlab/text.js";
import { SIDES } from "./build.js";
import { back, face, pointsOf } from "./card.js";
import { axisOf } from "./turns.js";

const ENTRY = 250; // ms, for a card that was not visible before

// Which column or row of the table a side's own left and right column are.
const LANES = {
  near: { left: "left", right: "right" },
  far: { left: "right", right: "left" },
  left: { left: "far", right: "near" },
  right: { left: "near", right: "far" },
};

/**
 * The scene of a view, without `open` and `away`.
 * @param {(string | null)[]} hand the cards by place
 * @param {boolean} over whether the game is over
 */
export function sceneOf(view, hand, over) {
  const slots = {};
  if (view.chosen) slots[view.seat] = view.chosen;
  for (const seat of view.other_chosen ? chosenBy(view) : []) slots[seat] = null;
  return {
    ...view,
    hand: hand.map((card) => (card === view.chosen ? null : card)),
    slots,
    selected: null,
    waiting: over ? [] : view.waiting_for,
    rotating: !over && view.rotator === view.seat,
  };
}

/** The other seats of the pair that have chosen. */
function chosenBy(view) {
  return view.pair.filter((seat) => seat !== view.seat && !view.waiting_for.includes(seat));
}

export class Scene {
  /**
   * @param {HTMLElement} root
   * @param {object} table
   * @param {ReturnType<typeof import("./build.js").build>} table.parts
   * @param {Record<string, string>} table.words
   * @param {import("./sentences.js").Sentences} table.sentences
   * @param {Record<string, {value: number, column: string}>} table.faces of all cards seen so far; it grows
   * @param {boolean} table.lightUp whether the crosses that the aimed card can select are highlighted
   */
  constructor(root, { parts, words, sentences, faces, lightUp }) {
    this.root = root;
    this.lightUp = lightUp;
    this.parts = parts;
    this.words = words;
    this.sentences = sentences;
    this.faces = faces;
    this.now = null; // the current scene
    this.aimed = null; // the place under the pointer or with the focus
  }

  /** Draws a scene. @param {number} [ms] the duration of animations */
  draw(scene, ms) {
    const seen = this.#seen();
    this.now = scene;
    this.root.dataset.players = scene.players.length;
    this.root.dataset.other = scene.players.length === 2 ? scene.players[1].side : "";
    this.#drawFacts();
    scene.crosses.forEach((_, index) => this.#drawCross(index));
    for (const side of SIDES) this.#drawSide(side);
    scene.hand.forEach((_, index) => this.#drawHandPlace(index));
    this.#drawAim();
    for (const card of this.root.querySelectorAll(".card[data-card], .card[data-face-down]")) this.#move(card, seen, ms);
  }

  /** Highlights the effect of a place. @param {HTMLElement | null} place */
  aim(place) {
    if (place === this.aimed || !this.now) return;
    this.aimed = place;
    this.#drawAim();
  }

  /** Animates the cards of a cross to the piles. @param {Record<string, string>} collected by seat */
  collect(cell, collected, ms) {
    const index = this.now.crosses.findIndex((cross) => cross.cell === cell);
    for (const seat of Object.keys(collected)) {
      const { side } = this.now.players.find((player) => player.seat === seat);
      flyAway(this.parts.crosses[index][axisOf(this.now, seat)], pose(this.parts.sides[side].pile), { ms });
    }
  }

  /** The poses of the visible cards: by name, or for face-down cards by player. */
  #seen() {
    const cards = [...this.root.querySelectorAll(".card[data-card], .card[data-face-down]")];
    return new Map(cards.map((card) => [card.dataset.card ?? card.dataset.faceDown, { card, from: pose(card) }]));
  }

  /** Animates a card from its old pose, or else from the stock or its player. */
  #move(card, seen, ms) {
    const known = seen.get(card.dataset.card ?? card.dataset.faceDown);
    if (known?.card === card) {
      const lifted = card.parentElement.hasAttribute("data-lifted");
      if (card.style.transform && !lifted) arrive(card, card.getBoundingClientRect()); // dropped outside any place
    } else if (known) fly(card, known.from, { ms });
    else if (seen.size) this.#enter(card, seen, ms);
  }

  #enter(card, seen, ms) {
    const { side, place } = card.parentElement.dataset;
    if (place?.startsWith("hand")) fly(card, pose(this.parts.stockCard), { ms, turnsUp: true });
    if (!side) return;
    const player = this.now.players.find((each) => each.side === side);
    const faceDown = seen.get(`down ${player.seat}`);
    fly(card, faceDown?.from ?? pose(this.parts.sides[side].pile), { ms: ENTRY, turnsUp: !card.dataset.faceDown });
  }

  // The parts of a scene.

  #drawFacts() {
    const { parts, now, words } = this;
    setText(parts.turn, fill(words.turn_of, { turn: now.turn, of: now.of }));
    setText(parts.stock, now.stock);
    drawBack(parts.stockCard, now.stock > 0);
    parts.keep.hidden = !now.rotating;
    parts.tray.toggleAttribute("data-turn", now.waiting.includes(now.seat) && !now.rotating);
    parts.tray.toggleAttribute("data-open", now.open);
  }

  #drawCross(index) {
    const { now } = this;
    const cross = now.crosses[index];
    const { place, own, across } = this.parts.crosses[index];
    this.#drawCard(own, cross.own);
    this.#drawCard(across, cross.across);
    place.dataset.cell = cross.cell;
    place.toggleAttribute("data-selected", cross.cell === now.selected);
    place.toggleAttribute("data-turn", now.rotating);
    place.tabIndex = now.rotating ? 0 : -1;
    giveName(place, this.sentences.cross(now, cross, this.byAxis(), this.faces, now.rotating));
  }

  /** The pair of this turn, first the seat with the viewer's axis. */
  byAxis() {
    const { now } = this;
    return ["own", "across"].map((axis) => now.pair.find((seat) => axisOf(now, seat) === axis));
  }

  #drawSide(side) {
    const { parts, now, sentences, words } = this;
    const { plate, slots, tag, name, score, pile, count } = parts.sides[side];
    const player = now.players.find((each) => each.side === side);
    for (const element of [plate, ...Object.values(slots).map(({ at }) => at)]) element.hidden = !player;
    if (!player) return;
    const { seat } = player;
    const waited = now.waiting.includes(seat);
    this.#drawSlots(slots, seat);
    plate.toggleAttribute("data-turn", waited && side !== "near");
    setText(tag, this.#tag(seat, waited));
    plate.toggleAttribute("data-away", now.away.includes(seat));
    setText(name, sentences.name(now, seat));
    if (score.textContent !== signed(player.score)) score.replaceChildren(pointsOf(player.score));
    drawBack(pile, player.pile > 0);
    setText(count, player.pile ? fill(words.collected_cards, { count: player.pile }) : words.collected_none);
  }

  /** Draws a seat's played card in the slot of its column, or face down. */
  #drawSlots(slots, seat) {
    const { faces, now } = this;
    const played = now.slots[seat];
    for (const column of ["left", "right"]) {
      const here = Boolean(played) && faces[played].column === column;
      this.#drawCard(slots[column].card, here ? played : null);
      slots[column].at.toggleAttribute("data-chosen", here && played === now.chosen);
    }
    drawBack(slots.down.card, played === null);
    if (played === null) slots.down.card.dataset.faceDown = `down ${seat}`;
    else delete slots.down.card.dataset.faceDown;
  }

  /** The tag of a seat: thinking or absent. */
  #tag(seat, waited) {
    const here = waited ? this.words.tag_thinking : "";
    return this.now.away.includes(seat) ? this.words.tag_away : here;
  }

  #drawHandPlace(index) {
    const { at, card } = this.parts.hand[index];
    const name = this.now.hand[index];
    this.#drawCard(card, name);
    at.tabIndex = name ? 0 : -1;
    const [number, { hand_card: taken, hand_place: empty }] = [index + 1, this.words];
    giveName(at, name ? fill(taken, { number, card: this.sentences.card(this.faces[name]) }) : fill(empty, { number }));
  }

  #drawCard(element, name) {
    if ((element.dataset.card ?? null) === name) return;
    putAtRest(element);
    element.classList.toggle("undealt", name === null);
    element.innerHTML = name ? face(name, this.faces[name], this.words) : "";
    if (name) element.dataset.card = name;
    else delete element.dataset.card;
  }

  // Effects of the place under the pointer or with the focus.

  /** Highlights the lanes of the played cards and of the aimed card, and draws the crosses' values. */
  #drawAim() {
    const { faces, parts, now } = this;
    const place = this.aimed?.dataset.place ?? "";
    const card = place.startsWith("hand") ? this.aimed.querySelector(".card").dataset.card : null;
    const lit = now.players.map(({ seat, side }) => now.slots[seat] && LANES[side][faces[now.slots[seat]].column]);
    if (card) lit.push(faces[card].column);
    for (const lane of parts.lanes) lane.toggleAttribute("data-highlighted", lit.includes(lane.dataset.lane));
    parts.crosses.forEach(({ place: at }, index) => {
      at.toggleAttribute("data-possible", Boolean(this.lightUp && card) && at.dataset.column === faces[card].column);
      this.#drawWorth(index, now.rotating && at === this.aimed);
    });
  }

  /** Draws a cross's values for both players; if `turned`, those after turning it. */
  #drawWorth(index, turned) {
    const { faces, now, sentences } = this;
    const { own, across } = now.crosses[index];
    const cards = turned ? [across, own] : [own, across];
    const { place, worth } = this.parts.crosses[index];
    place.toggleAttribute("data-preview", turned);
    const shown = [...this.byAxis(), ...cards].join();
    if (worth.dataset.shown === shown) return;
    worth.dataset.shown = shown;
    const pairs = this.byAxis().map((seat, axis) => {
      const points = cards[axis] ? pointsOf(faces[cards[axis]].value) : "";
      return make("span", { seat }, `${sentences.short(now, seat)} `, points);
    });
    worth.replaceChildren(...pairs);
  }
}

function drawBack(element, shown) {
  if (shown && !element.innerHTML) element.innerHTML = back();
  element.classList.toggle("undealt", !shown);
}
