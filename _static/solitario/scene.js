/** Draws a view, and animates cards from their old places. */

import { fly, poseOf, putAtRest } from "../cardlab/motion.js";
import { fill } from "../cardlab/text.js";
import { BACK, NUMBERS, face, makeCard, makePlainCard } from "./build.js";
import { packOf } from "./packs.js";

const FLIGHT = 190; // ms

export class Scene {
  constructor(parts, sentences) {
    this.parts = parts;
    this.sentences = sentences;
    this.cards = new Map(); // the elements of the face-up cards of columns, by name
    this.waste = []; // the known cards of the waste; null for unknown ones
    this.moves = 0; // the number of moves for which `waste` holds
  }

  draw(view) {
    this.#drawStock(view);
    this.#drawWaste(view);
    this.#drawFoundations(view);
    view.columns.forEach((column, index) => this.#drawColumn(index + 1, column));
    const { parts, sentences } = this;
    parts["cards-home"].textContent = fill(sentences.words.of, { count: view.cards_home, of: view.cards });
    parts["turn-overs"].textContent = view.counts.turn_overs;
    parts.moves.textContent = view.moves;
  }

  #drawStock(view) {
    const { parts, sentences } = this;
    showCard(parts.stock, view.stock ? BACK : null);
    parts.stock.toggleAttribute("data-can-turn", view.stock === 0 && view.waste_count > 0);
    parts.stock.toggleAttribute("data-last-card", view.stock === 1);
    parts.stock.setAttribute("aria-label", sentences.stock(view));
    parts["stock-count"].textContent = view.stock;
  }

  #drawWaste(view) {
    const { parts, sentences } = this;
    const { waste, waste_count: count } = view;
    const under = count - waste.length;
    if (Math.abs(view.moves - this.moves) > 1) this.waste = []; // unknown moves in between
    this.moves = view.moves;
    this.waste = [...Array.from({ length: under }, (_none, index) => this.waste[index] ?? null), ...waste];
    const plainCards = waste.slice(0, -1);
    for (const card of parts.waste.querySelectorAll(":scope > .card")) card.remove();
    parts.top.before(...plainCards.map((card) => makePlainCard(face(card), card)));
    [...parts.waste.querySelectorAll(":scope > .card")].forEach((card, index) => card.style.setProperty("--at", index));
    parts.top.style.setProperty("--at", plainCards.length);
    showCard(parts.top, count ? face(waste.at(-1)) : null, waste.at(-1));
    // The card that becomes visible while the top card is dragged, if it is known.
    const below = this.waste.at(-2);
    showBelow(parts.top, count > 1 && waste.length === 1 && below ? face(below) : null);
    parts.top.toggleAttribute("data-cards-below", count > 1 && waste.length === 1);
    parts.top.setAttribute("aria-label", sentences.waste(view));
    parts["waste-count"].textContent = count;
  }

  #drawFoundations(view) {
    const { ranks } = packOf(view);
    view.foundations.forEach((card, index) => {
      const at = this.parts.foundations[index];
      const rank = card ? ranks.indexOf(card.slice(0, -1)) : 0;
      showCard(at, card && face(card), card);
      showBelow(at, rank ? face(ranks[rank - 1] + card.slice(-1)) : null);
      at.setAttribute("aria-label", this.sentences.foundation(index + 1, card));
    });
  }

  #drawColumn(number, { down, up }) {
    const { at, ground } = this.parts.columns[number - 1];
    at.style.setProperty("--closed", up.length ? down : Math.max(0, down - 1));
    at.style.setProperty("--open", Math.max(0, up.length - 1));
    while (ground.children.length > down) ground.lastElementChild.remove();
    while (ground.children.length < down) {
      const card = makePlainCard(BACK);
      card.style.setProperty("--at", ground.children.length);
      ground.append(card);
    }
    ground.classList.toggle("place", !up.length); // under face-up cards it is only a drop target
    ground.toggleAttribute("data-can-turn", down > 0 && !up.length);
    ground.setAttribute("aria-label", this.sentences.ground(number, { down, up }));
    let under = at;
    up.forEach((card, index) => {
      const element = this.#cardOf(card);
      if (element.parentElement !== under) under.append(element);
      for (const other of [...under.children]) {
        if (other !== element && other.matches(".card")) other.remove();
      }
      element.firstElementChild.setAttribute("aria-label", this.sentences.faceUpCard(card, number, down + index + 1));
      under = element;
    });
    for (const other of [...under.children]) if (other.matches(".card")) other.remove();
  }

  #cardOf(card) {
    if (!this.cards.has(card)) this.cards.set(card, makeCard(card));
    return this.cards.get(card);
  }

  /** The poses of the visible cards; also of `stock`, `w`, and each column's top face-down card, by number. */
  posesOfCards() {
    const { parts } = this;
    const poses = new Map();
    for (const card of parts.waste.querySelectorAll(":scope > .card")) poses.set(card.dataset.card, poseOf(card));
    for (const card of this.#movableCards()) poses.set(card.dataset.card, poseOf(card));
    poses.set("stock", poseOf(parts.stock));
    poses.set("w", poseOf(parts.top));
    parts.columns.forEach(({ ground }, index) => poses.set(index + 1, ground.lastElementChild && poseOf(ground.lastElementChild)));
    return poses;
  }

  /** Yields the movable face-up cards, each after the one below it. */
  *#movableCards() {
    for (const at of [this.parts.top, ...this.parts.foundations]) {
      const card = at.querySelector(".card");
      if (card.dataset.card) yield card;
    }
    for (const { at } of this.parts.columns) yield* at.querySelectorAll(".card[data-card]");
  }

  /**
   * After a view is drawn, animates cards from their old poses.
   * @param {ReturnType<Scene["posesOfCards"]>} oldPoses
   * @param {HTMLElement | null} draggedCard the dragged card, which is not animated
   */
  arrive(before, view, oldPoses, draggedCard) {
    const { parts } = this;
    const topCards = [parts.top, ...parts.foundations].map((at) => at.querySelector(".card"));
    const cards = [...this.#movableCards()].filter((card) => !draggedCard?.contains(card));
    for (const card of new Set([...cards, ...topCards])) if (card !== draggedCard) putAtRest(card); // all, before one is measured
    const poses = new Map(cards.map((card) => [card, poseOf(card)]));
    const wasDrawn = before.stock > view.stock;
    for (const card of cards) {
      const { card: name } = card.dataset;
      const from = oldPoses.get(name);
      if (from) flyIfMoved(card, from, poses.get(card));
      else if (view.waste.includes(name)) wasDrawn && fly(card, oldPoses.get("stock"), { ms: FLIGHT, turnsUp: true });
      else {
        const number = NUMBERS.find((column) => view.columns[column - 1].up.includes(name));
        if (number && oldPoses.get(number)) fly(card, oldPoses.get(number), { ms: FLIGHT, turnsUp: true });
      }
    }
    if (view.stock > before.stock) fly(parts.stock.querySelector(".card"), oldPoses.get("w"), { ms: FLIGHT, turnsUp: true });
  }
}

/** Animates a card from its old pose to its new one. */
function flyIfMoved(card, from, to) {
  if (Math.hypot(to.x - from.x, to.y - from.y) > 1) fly(card, from, { ms: FLIGHT, to });
}

/** Shows a card or an empty place. */
function showCard(at, address, name) {
  const card = at.querySelector(".card");
  card.classList.toggle("undealt", !address);
  if (name) card.dataset.card = name;
  else delete card.dataset.card;
  const image = card.querySelector("img");
  if (address && image.getAttribute("src") !== address) image.src = address;
}

/** Sets the picture under the card of a place. */
function showBelow(at, address) {
  at.style.backgroundImage = address ? `url("${address}")` : "";
}
