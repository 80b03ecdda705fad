/**
 * Draws a scene, which is the visible state of table and hand, and animates cards between scenes.
 *
 * A scene is a view with these changes: `hand`: cards by place, null for an empty one; `slots`: played cards by seat,
 * null if face down; `selected`: the marked cell; `waiting`: the marked seats; `rotating`: whether crosses can be
 * turned here; `open`: whether a card can be chosen; `away`: the seats of absent participants.
 */

import { setAccessibleName, make, setText } from "../cardlab/elements.js";
import { arrive, fly, flyAway, poseOf, putAtRest } from "../cardlab/motion.js";
import { fill, formatSigned } from "../cardlab/text.js";
import { SIDES } from "./build.js";
import { back, face, pointsOf } from "./card.js";
import { axisOf } from "./turns.js";

const ENTRY_MS = 250; // for a card that was not visible before

// The table's column or row that is the left or right column as seen from each side.
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
    this.current = null; // the current scene
    this.aimedPlace = null; // the place under the pointer or with the focus
  }

  /** Draws a scene. @param {number} [ms] the duration of animations */
  draw(scene, ms) {
    const oldCards = this.#cardsByName();
    this.current = scene;
    this.root.dataset.players = scene.players.length;
    this.root.dataset.other = scene.players.length === 2 ? scene.players[1].side : "";
    this.#drawFacts();
    scene.crosses.forEach((_, index) => this.#drawCross(index));
    for (const side of SIDES) this.#drawSide(side);
    scene.hand.forEach((_, index) => this.#drawHandPlace(index));
    this.#drawAim();
    for (const card of this.root.querySelectorAll(".card[data-card], .card[data-face-down]")) this.#move(card, oldCards, ms);
  }

  /** Highlights the effect of the cards or the cross in a place. @param {HTMLElement | null} place */
  aim(place) {
    if (place === this.aimedPlace || !this.current) return;
    this.aimedPlace = place;
    this.#drawAim();
  }

  /** Animates the cards of a cross to the piles. @param {Record<string, string>} collected by seat */
  collect(cell, collected, ms) {
    const index = this.current.crosses.findIndex((cross) => cross.cell === cell);
    for (const seat of Object.keys(collected)) {
      const { side } = this.current.players.find((player) => player.seat === seat);
      flyAway(this.parts.crosses[index][axisOf(this.current, seat)], poseOf(this.parts.sides[side].pile), { ms });
    }
  }

  /** The poses of the visible cards: by name, or for face-down cards by player. */
  #cardsByName() {
    const cards = [...this.root.querySelectorAll(".card[data-card], .card[data-face-down]")];
    return new Map(cards.map((card) => [card.dataset.card ?? card.dataset.faceDown, { card, from: poseOf(card) }]));
  }

  /** Animates a card from its old pose, or else from the stock or its player. */
  #move(card, oldCards, ms) {
    const oldCard = oldCards.get(card.dataset.card ?? card.dataset.faceDown);
    if (oldCard?.card === card) {
      const lifted = card.parentElement.hasAttribute("data-lifted");
      if (card.style.transform && !lifted) arrive(card, card.getBoundingClientRect()); // dropped outside any place
    } else if (oldCard) fly(card, oldCard.from, { ms });
    else if (oldCards.size) this.#enter(card, oldCards, ms);
  }

  #enter(card, oldCards, ms) {
    const { side, place } = card.parentElement.dataset;
    if (place?.startsWith("hand")) fly(card, poseOf(this.parts.stockCard), { ms, turnsUp: true });
    if (!side) return;
    const player = this.current.players.find((other) => other.side === side);
    const faceDown = oldCards.get(`down ${player.seat}`);
    fly(card, faceDown?.from ?? poseOf(this.parts.sides[side].pile), { ms: ENTRY_MS, turnsUp: !card.dataset.faceDown });
  }

  // The parts of a scene.

  #drawFacts() {
    const { parts, current, words } = this;
    setText(parts.turn, fill(words.turn_of, { turn: current.turn, of: current.of }));
    setText(parts.stock, current.stock);
    drawBack(parts.stockCard, current.stock > 0);
    parts.keep.hidden = !current.rotating;
    parts.tray.toggleAttribute("data-turn", current.waiting.includes(current.seat) && !current.rotating);
    parts.tray.toggleAttribute("data-open", current.open);
  }

  #drawCross(index) {
    const { current } = this;
    const cross = current.crosses[index];
    const { place, own, across } = this.parts.crosses[index];
    this.#drawCard(own, cross.own);
    this.#drawCard(across, cross.across);
    place.dataset.cell = cross.cell;
    place.toggleAttribute("data-selected", cross.cell === current.selected);
    place.toggleAttribute("data-turn", current.rotating);
    place.tabIndex = current.rotating ? 0 : -1;
    setAccessibleName(place, this.sentences.cross(current, cross, this.byAxis(), this.faces, current.rotating));
  }

  /** The pair of this turn, first the seat with the viewer's axis. */
  byAxis() {
    const { current } = this;
    return ["own", "across"].map((axis) => current.pair.find((seat) => axisOf(current, seat) === axis));
  }

  #drawSide(side) {
    const { parts, current, sentences, words } = this;
    const { plate, slots, tag, name, score, pile, count } = parts.sides[side];
    const player = current.players.find((other) => other.side === side);
    for (const element of [plate, ...Object.values(slots).map(({ at }) => at)]) element.hidden = !player;
    if (!player) return;
    const { seat } = player;
    const isWaitedFor = current.waiting.includes(seat);
    this.#drawSlots(slots, seat);
    plate.toggleAttribute("data-turn", isWaitedFor && side !== "near");
    setText(tag, this.#tag(seat, isWaitedFor));
    plate.toggleAttribute("data-away", current.away.includes(seat));
    setText(name, sentences.name(current, seat));
    if (score.textContent !== formatSigned(player.score)) score.replaceChildren(pointsOf(player.score));
    drawBack(pile, player.pile > 0);
    setText(count, player.pile ? fill(words.collected_cards, { count: player.pile }) : words.collected_none);
  }

  /** Draws a seat's played card in the slot of its column, or face down. */
  #drawSlots(slots, seat) {
    const { faces, current } = this;
    const played = current.slots[seat];
    for (const column of ["left", "right"]) {
      const isHere = Boolean(played) && faces[played].column === column;
      this.#drawCard(slots[column].card, isHere ? played : null);
      slots[column].at.toggleAttribute("data-chosen", isHere && played === current.chosen);
    }
    drawBack(slots.down.card, played === null);
    if (played === null) slots.down.card.dataset.faceDown = `down ${seat}`;
    else delete slots.down.card.dataset.faceDown;
  }

  /** The tag of a seat: thinking or absent. */
  #tag(seat, isWaitedFor) {
    const tag = isWaitedFor ? this.words.tag_thinking : "";
    return this.current.away.includes(seat) ? this.words.tag_away : tag;
  }

  #drawHandPlace(index) {
    const { at, card } = this.parts.hand[index];
    const name = this.current.hand[index];
    this.#drawCard(card, name);
    at.tabIndex = name ? 0 : -1;
    const [number, { hand_card: takenText, hand_place: emptyText }] = [index + 1, this.words];
    setAccessibleName(at, name ? fill(takenText, { number, card: this.sentences.card(this.faces[name]) }) : fill(emptyText, { number }));
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
    const { faces, parts, current } = this;
    const place = this.aimedPlace?.dataset.place ?? "";
    const card = place.startsWith("hand") ? this.aimedPlace.querySelector(".card").dataset.card : null;
    const lanes = current.players.map(({ seat, side }) => current.slots[seat] && LANES[side][faces[current.slots[seat]].column]);
    if (card) lanes.push(faces[card].column);
    for (const lane of parts.lanes) lane.toggleAttribute("data-highlighted", lanes.includes(lane.dataset.lane));
    parts.crosses.forEach(({ place: at }, index) => {
      at.toggleAttribute("data-possible", Boolean(this.lightUp && card) && at.dataset.column === faces[card].column);
      this.#drawValues(index, current.rotating && at === this.aimedPlace);
    });
  }

  /** Draws a cross's values for both players; if `turned`, those after turning it. */
  #drawValues(index, isTurned) {
    const { faces, current, sentences } = this;
    const { own, across } = current.crosses[index];
    const cards = isTurned ? [across, own] : [own, across];
    const { place, values } = this.parts.crosses[index];
    place.toggleAttribute("data-preview", isTurned);
    const content = [...this.byAxis(), ...cards].join();
    if (values.dataset.shown === content) return;
    values.dataset.shown = content;
    const pairs = this.byAxis().map((seat, axis) => {
      const points = cards[axis] ? pointsOf(faces[cards[axis]].value) : "";
      return make("span", { seat }, `${sentences.shortName(current, seat)} `, points);
    });
    values.replaceChildren(...pairs);
  }
}

function drawBack(element, isShown) {
  if (isShown && !element.innerHTML) element.innerHTML = back();
  element.classList.toggle("undealt", !isShown);
}
