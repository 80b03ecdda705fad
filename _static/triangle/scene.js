/** Draws a view of Triangle Solitaire, animates its cards, and previews the placement of a card. */

import { setAccessibleName, make } from "../cardlab/elements.js";
import { fly, flyAway, poseOf } from "../cardlab/motion.js";
import { fill, formatSigned } from "../cardlab/text.js";
import { scoreDiagram } from "./build.js";
import { isComplete } from "./card.js";
import { Loop, drawCard, cardsIn } from "./loop.js";
import { Sentences, discardedBetween, canGoTo, neighboursOf, wasPlacedBetween, without } from "./sentences.js";

const FLIGHT = 260; // ms
const DISCARD = 700; // ms; slow, because discards are automatic and must be noticed

export class Scene {
  /**
   * @param {ReturnType<typeof import("./build.js").build>} parts
   * @param {Record<string, string>} words
   */
  constructor(parts, words) {
    this.parts = parts;
    this.words = words;
    this.sentences = new Sentences(words);
    this.loop = new Loop(parts.loop, words);
  }

  draw(view) {
    this.#drawLoop(view);
    this.#drawRevealed(view);
    this.#drawScore(view);
    this.#drawRest(view);
    this.#drawDiscards(view);
  }

  #drawLoop(view) {
    const { loop, sentences } = this;
    loop.draw(view);
    for (const place of view.places) {
      const { at, marks } = loop.place(place.place);
      setAccessibleName(at, sentences.place(view, place));
      at.toggleAttribute("data-fits", Boolean(view.fits?.includes(place.place)));
      for (const mark of marks.children) {
        mark.setAttribute("aria-label", sentences.mark(mark.dataset.mark, place.place));
      }
    }
  }

  #drawRevealed(view) {
    const { parts, sentences, words } = this;
    drawCard(parts.card, view.card ?? "", words);
    parts.name.textContent = view.card ? sentences.cards(view.card) : words.all_played;
    parts.revealed.setAttribute("aria-label", parts.name.textContent);
    parts.left.textContent = view.cards_left;
    parts.deck.classList.toggle("undealt", view.cards_left === 0);
  }

  #drawScore({ score }) {
    const { parts } = this;
    parts.total.textContent = formatSigned(score.total);
    parts.picture.innerHTML = scoreDiagram(score);
    for (const [part, element] of Object.entries(parts.points)) {
      const points = score.points[part];
      element.textContent = formatSigned(points);
      element.dataset.sign = Math.sign(points);
    }
  }

  /** Draws the spare Singles and the upcoming Completes. */
  #drawRest(view) {
    const { parts, sentences, words } = this;
    for (const [single, { at, count }] of Object.entries(parts.tray)) {
      const spare = view.spares[single];
      count.textContent = spare;
      at.toggleAttribute("data-used-up", spare === 0);
      at.setAttribute("aria-label", sentences.spare(single, spare));
    }
    parts.toCome.section.hidden = view.left === null;
    for (const [name, cell] of Object.entries(parts.toCome.cards)) {
      const isUpcoming = Boolean(view.left?.includes(name));
      cell.toggleAttribute("data-played", !isUpcoming);
      cell.setAttribute("aria-label", fill(isUpcoming ? words.to_come : words.gone, { card: sentences.card(name) }));
    }
  }

  #drawDiscards({ discards, last }) {
    const { parts, sentences } = this;
    const heap = parts.discards;
    parts.discardsCount.textContent = discards.length;
    while (heap.children.length > discards.length) heap.lastElementChild.remove();
    discards.forEach((name, index) => {
      const card = heap.children[index] ?? heap.appendChild(make("span.card"));
      card.className = "card";
      card.setAttribute("role", "listitem");
      card.setAttribute("aria-label", sentences.card(name));
      drawCard(card, name, this.words);
    });
    parts.discarded.textContent = sentences.discarded(last.discarded);
    parts.discarded.hidden = !last.discarded.length;
  }

  /**
   * Previews the placement of the card: whether it fits, and the two joints.
   * @param {number | null} number of the place; null without one, or if no card can be placed
   * @param {string} defaultHint the hint without a preview
   */
  drawAim(view, number, defaultHint) {
    const { loop, parts, sentences } = this;
    for (const joint of loop.joints) delete joint.dataset.preview;
    for (const { at } of loop.places) delete at.dataset.aimed;
    if (number === null || view.places[number - 1].complete) {
      parts.hint.textContent = defaultHint;
      return;
    }
    const cards = cardsIn(view.places[number - 1]);
    parts.hint.replaceChildren();
    if (view.fits) {
      loop.place(number).at.dataset.aimed = canGoTo(view.card, cards) ? "fits" : "not";
      parts.hint.append(make("span.verdict", {}, sentences.verdict(view, number)));
    } else loop.place(number).at.dataset.aimed = ""; // without highlighting, the preview does not say whether it fits
    for (const { joint, relation } of neighboursOf(view, number)) loop.joint(joint).dataset.preview = relation;
    parts.hint.append(...sentences.neighboursOf(view, number).map((sentence) => make("span.neighbour", {}, sentence)));
  }

  /** Before a new view is drawn, animates cards that leave, and returns poses. */
  leave(before, view) {
    const { loop, parts } = this;
    const poses = { revealed: poseOf(parts.card), deck: poseOf(parts.deck) };
    view.places.forEach(({ place, marks, complete }, index) => {
      const { card, marks: row } = loop.place(place);
      const [oldPlace, removed] = [before.places[index], without(before.places[index].marks, marks)];
      if (complete && !oldPlace.complete) {
        for (const single of oldPlace.singles) flyAway(card, poseOf(parts.tray[single].card), { ms: FLIGHT });
      }
      for (const single of removed) {
        const mark = [...row.children].find(({ dataset }) => dataset.mark === single);
        if (mark) flyAway(mark.firstElementChild, poseOf(parts.tray[single].card), { ms: FLIGHT });
      }
    });
    return poses;
  }

  /** After it is drawn, animates cards that arrive. @param {ReturnType<Scene["leave"]>} poses */
  arrive(before, view, poses) {
    const { loop, parts } = this;
    const discarded = discardedBetween(before, view);
    const placed = wasPlacedBetween(before, view);
    if (placed) fly(loop.place(view.last.place).card, poses.revealed, { ms: FLIGHT });
    const from = placed ? poses.deck : poses.revealed;
    const heap = [...parts.discards.children].slice(before.discards.length);
    for (const card of heap) fly(card, from, { ms: DISCARD, turnsUp: true });
    for (const single of discarded.filter((card) => !isComplete(card))) {
      fly(parts.tray[single].card, from, { ms: DISCARD, turnsUp: true });
    }
    for (const { place, marks } of view.places) {
      const added = without(marks, before.places[place - 1].marks);
      for (const single of added) {
        const mark = [...loop.place(place).marks.children].find(({ dataset }) => dataset.mark === single);
        fly(mark.firstElementChild, poseOf(parts.tray[single].card), { ms: FLIGHT });
      }
    }
    if (view.card === before.card) return;
    grow(parts.card);
    if (view.card) fly(parts.card, poses.deck, { ms: FLIGHT, turnsUp: true });
  }

  /** Shrinks a dragged card around the pointer, so that the places stay visible. */
  shrink(card, { x, y }) {
    const box = card.getBoundingClientRect();
    card.style.transformOrigin = `${x - box.left}px ${y - box.top}px`;
    card.style.scale = Math.min(1, this.loop.place(1).at.offsetWidth / box.width);
  }
}

/** Restores the size of a shrunk card. */
export function grow(card) {
  card.style.transformOrigin = card.style.scale = "";
}
