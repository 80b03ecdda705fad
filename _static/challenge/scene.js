/** Draws a view (the hands in rows of suits, the table, the seat labels) and animates the cards. */

import { setAccessibleName, make } from "../cardlab/elements.js";
import { fly, flyAway, poseOf, putAtRest } from "../cardlab/motion.js";
import { fill } from "../cardlab/text.js";
import { SIGNS, SUITS, makeCard, makePlace, sizeOf, suitOf } from "./build.js";
import { Lanes } from "./lanes.js";
import { TRAVEL_MS, leaveTrail, removeMarks } from "./trail.js";

const FLIGHT = 260; // ms

export class Scene {
  constructor(root, parts, sentences) {
    this.root = root;
    this.parts = parts;
    this.sentences = sentences;
    this.words = sentences.words;
    this.lanes = new Lanes(parts);
    this.places = new Map(); // the places of the participant's own cards, by card
    this.cards = new Map(); // the elements of all other cards, by card
  }

  /** @param {object} view  @param {{over: boolean, away: string[]}} known */
  draw(view, { over, away }) {
    const { parts, root } = this;
    const far = Object.keys(view.hands).find((seat) => seat !== view.seat);
    root.dataset.show = view.other ? "all" : "own";
    root.toggleAttribute("data-leads", view.to_lead);
    const { name_you: you, tag_thinking: thinking, tag_your_turn: yourTurn } = this.words;
    this.#drawPlate(parts["plate-near"], view, view.seat, { name: you, tag: yourTurn, over, away });
    const name = this.words[`name_${this.sentences.opponentKind(view)}`];
    this.#drawPlate(parts["plate-far"], view, far, { name, tag: thinking, over, away });
    this.#drawNear(view, over);
    this.#drawFar(view, far);
    this.#drawTable(view);
    const inLanes = (hand) => SUITS.map((suit) => parts[hand][suit].childElementCount);
    const counts = { near: inLanes("near"), far: inLanes("far"), table: view.table.length };
    this.lanes.arrange({ ...counts, hidden: !view.other });
  }

  #drawPlate(plate, view, seat, { name, tag, over, away }) {
    const { words } = this;
    const trump = view.trumps[seat];
    const count = view.hands[seat];
    const pickUps = view.picked_up[seat];
    const isOnTurn = !over && !view.ended && (view.asked ? view.waiting_for.includes(seat) : view.turn === seat);
    const sign = make("b.suit-symbol", { suit: trump }, SIGNS[trump]);
    const textParts = words.trumps.split("{suit}").map((text) => make("span.suit-name", {}, text));
    const cardBar = make("span.race", {});
    cardBar.style.setProperty("--share", String(count / SUITS.length / sizeOf(view)));
    plate.replaceChildren(
      make(
        "span.seat-name",
        {},
        make("b", {}, name),
        make("span", {}, textParts[0], sign, make("span.suit-name", {}, ` ${words[trump]}`), textParts[1]),
      ),
      cardBar,
      make("b.card-count", {}, fill(words.cards, { count })),
      ...(pickUps ? [make("span.pick-ups", {}, fill(words.picked_up, { count: pickUps }))] : []),
      ...(isOnTurn ? [make("b.seat-status", {}, make("span", {}, away.includes(seat) ? words.tag_away : tag))] : []),
    );
    plate.toggleAttribute("data-turn", isOnTurn);
  }

  #drawNear(view, over) {
    const { parts, sentences } = this;
    const marks = view.marks && !over && !view.asked && view.waiting_for.includes(view.seat);
    for (const suit of SUITS) {
      const places = view.hand.filter((card) => suitOf(card) === suit).map((card) => this.#placeOf(card));
      fillRow(parts.near[suit], places);
      for (const place of places) {
        const card = place.dataset.place;
        const fits = marks && view.may.includes(`play ${card}`);
        place.toggleAttribute("data-fits", fits);
        place.toggleAttribute("data-unplayable", marks && !fits);
        place.toggleAttribute("data-advised", view.advice?.move === card);
        const name = sentences.card(card);
        setAccessibleName(place, fits && !view.to_lead ? fill(this.words.fits, { card: name }) : name);
      }
    }
  }

  #drawFar(view, far) {
    const { parts, sentences } = this;
    parts["heard-far"].textContent = sentences.otherHandText(view);
    if (view.other) {
      for (const suit of SUITS) {
        fillRow(parts.far[suit], view.other.filter((card) => suitOf(card) === suit).map((card) => this.#slotOf(card)));
      }
      return;
    }
    // The opponent's hidden cards are backs in one row.
    const row = parts.far[SUITS[0]];
    const backs = [...row.children].slice(0, view.hands[far]);
    while (backs.length < view.hands[far]) backs.push(make("span.slot", {}, makeCard(null)));
    fillRow(row, backs);
  }

  #drawTable(view) {
    const { parts, sentences, words } = this;
    fillRow(parts.stack, view.table.map((card) => this.#slotOf(card)));
    parts["heard-table"].textContent = sentences.tableText(view);
    parts.table.toggleAttribute("data-cards-below", view.table_count > view.table.length);
    const count = view.table_count;
    parts["table-words"].textContent = count ? fill(words.count_on_table, { count }) : words.table_empty;
    parts["table-words"].setAttribute("aria-hidden", "true");
  }

  #placeOf(card) {
    if (!this.places.has(card)) this.places.set(card, makePlace(card));
    return this.places.get(card);
  }

  #slotOf(card) {
    if (!this.cards.has(card)) this.cards.set(card, make("span.slot", {}, makeCard(card)));
    return this.cards.get(card);
  }

  // Motion.

  /** The poses of the visible cards, by name; `far`: the opponent's last card; `pile`: the table's top card. */
  posesOfCards() {
    const cards = [...this.root.querySelectorAll(".card[data-card]")];
    const poses = new Map(cards.map((card) => [card.dataset.card, poseOf(card)]));
    const last = [...this.parts["hand-far"].querySelectorAll(".card")].at(-1);
    const top = [...this.parts.stack.querySelectorAll(".card")].at(-1);
    poses.set("far", last ? poseOf(last) : null);
    poses.set("pile", poseOf(top ?? this.parts.table));
    return poses;
  }

  /** Before a view is drawn, animates cards that the opponent picks up into a hidden hand. */
  leave(before, view) {
    const [seat, action] = view.last;
    if (view.other || action !== "pick up" || seat === view.seat || !before.table_count) return;
    const to = [...this.parts["hand-far"].querySelectorAll(".card")].at(-1) ?? this.parts["plate-far"];
    for (const card of this.parts.stack.querySelectorAll(".card")) flyAway(card, poseOf(to), { ms: TRAVEL_MS });
  }

  /**
   * After a view is drawn, animates cards from their old poses. A new move by the opponent leaves a trail.
   * @param {ReturnType<Scene["posesOfCards"]>} poses
   */
  arrive(poses, before, view) {
    const allCards = [...this.root.querySelectorAll(".card[data-card]")];
    const restingCards = allCards.filter((card) => !card.parentElement.hasAttribute("data-lifted"));
    for (const card of restingCards) putAtRest(card); // all, before one is measured
    const moves = [];
    for (const card of restingCards) {
      const wasHidden = !poses.has(card.dataset.card);
      const from = poses.get(wasHidden ? "far" : card.dataset.card);
      if (from) moves.push({ card, from, hidden: wasHidden, to: poseOf(card) });
    }
    if (view.moves !== before.moves) removeMarks(this.root);
    const [seat, action] = view.last;
    const isOthersMove = view.moves > before.moves && seat !== view.seat;
    const isPickUp = isOthersMove && action === "pick up";
    const gainedCards = new Set(isPickUp ? view.other?.filter((name) => !before.other.includes(name)) : []);
    const cards = [];
    for (const { card, from, hidden: wasHidden, to } of moves) {
      const name = card.dataset.card;
      const isLast = isOthersMove && (action === `play ${name}` || gainedCards.has(name));
      if (isLast) cards.push(card);
      const ms = isLast ? TRAVEL_MS : FLIGHT;
      if (Math.hypot(to.x - from.x, to.y - from.y) > 1) fly(card, from, { ms, turnsUp: wasHidden, to });
    }
    const last = moves.find(({ card }) => card === cards.at(-1));
    const from = isPickUp ? poses.get("pile") : last?.from;
    const to = last?.to ?? (isPickUp ? poseOf(this.parts["plate-far"]) : null);
    if (from && to) leaveTrail(this.parts.arena, from, to, cards);
  }
}

/** Fills a row with cards. Those that stay are not touched, or the browser would lay them all out again. */
function fillRow(row, slots) {
  const wanted = new Set(slots);
  for (const slot of [...row.children]) if (!wanted.has(slot)) slot.remove();
  slots.forEach((slot, index) => {
    if (row.children[index] !== slot) row.insertBefore(slot, row.children[index] ?? null);
  });
}
