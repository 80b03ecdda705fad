/** The board of Triangle Solitaire: draws views (scene.js) and handles gestures and keys. */

import { BaseBoard } from "../cardlab/board.js";
import { arrive } from "../cardlab/motion.js";
import { build } from "./build.js";
import { isComplete } from "./card.js";
import { NUMBERS, numberAfter, cardsIn, arrowStep } from "./loop.js";
import { predict } from "./predict.js";
import { Scene, grow } from "./scene.js";

const SINGLES = /^[HPFBRGCST]$/;

export class Board extends BaseBoard {
  /** @param {HTMLElement} root the board of `_templates/triangle/Board.html` */
  constructor(root, page) {
    super(root, { ...page, predict });
    this.parts = build(root, this.words);
    this.scene = new Scene(this.parts, this.words);
    this.loop = this.scene.loop;
    this.aimedNumber = null; // the number of the place under the pointer or with the focus
    this.tabbableNumber = 1; // the place that Tab reaches
    root.addEventListener("focusin", (event) => this.#makeTabbable(event.target));
    // During a drag, pointer events go to the place where it began.
    new MutationObserver(() => this.#aimAtTarget()).observe(root, {
      subtree: true,
      attributeFilter: ["data-drag-over"],
    });
  }

  setLive(isLive) {
    super.setLive(isLive);
    if (this.view) this.#drawAim();
  }

  draw(before) {
    const { parts, scene, view } = this;
    if (before && before.card !== view.card) this.gestures.cancel();
    const oldPoses = before && scene.leave(before, view);
    scene.draw(view);
    this.loop.places.forEach(({ at }, index) => (at.tabIndex = index + 1 === this.tabbableNumber ? 0 : -1));
    this.#drawAim();
    if (!before) {
      this.onChange(scene.sentences.next(view));
      return;
    }
    scene.arrive(before, view, oldPoses);
    const wasDroppedOutside = parts.card.style.transform && !parts.revealed.hasAttribute("data-lifted");
    if (before.card === view.card && wasDroppedOutside) this.putBack(parts.card);
    const news = scene.sentences.news(before, view);
    if (news) this.onChange(news);
  }

  #drawAim() {
    const { isLive, view } = this;
    const isPlayable = isLive && view.card;
    this.scene.drawAim(view, isPlayable ? this.aimedNumber : null, isPlayable ? this.#placingHint() : "");
  }

  /** The hint on how to place the card. */
  #placingHint() {
    const { view, words } = this;
    if (!isComplete(view.card)) return words.how_to_add;
    return words.how_to_place;
  }

  putBack(card) {
    const from = card.getBoundingClientRect();
    grow(card);
    arrive(card, from);
  }

  // Gestures and keys.

  /** Previews the place of an element or, unless a card is dragged, the focused place. */
  aim(element) {
    const { activeElement } = document;
    const isFocused = this.root.contains(activeElement) && !this.root.querySelector("[data-lifted]");
    const at = element?.closest("[data-number]") ?? (isFocused ? activeElement.closest("[data-number]") : null);
    const number = Number(at?.dataset.number) || null;
    if (number === this.aimedNumber || !this.view) return;
    this.aimedNumber = number;
    this.#drawAim();
  }

  #aimAtTarget() {
    if (this.root.querySelector("[data-lifted]")) this.aim(this.root.querySelector("[data-drag-over]"));
  }

  /** Makes the focused place the one that Tab reaches. */
  #makeTabbable(element) {
    const { number } = element.closest(".loop-place .place:not(.mark)")?.dataset ?? {};
    if (!number) return;
    this.loop.place(this.tabbableNumber).at.tabIndex = -1;
    this.tabbableNumber = Number(number);
    this.loop.place(this.tabbableNumber).at.tabIndex = 0;
  }

  canDrag(at) {
    const { mark, place, single } = at.dataset;
    if (place === "card") return Boolean(this.view.card);
    if (mark) return true;
    if (!single) return false;
    if (!this.view.spares[single]) this.onNote(this.words.no_spare);
    return this.view.spares[single] > 0;
  }

  lift(at) {
    const { mark, place, single } = at.dataset;
    this.onTrace(`pick ${mark ?? single ?? place}`);
    this.scene.shrink(at.querySelector(".card"), this.clicks.lastPress);
  }

  targets({ dataset: { mark, place } }) {
    if (mark) return [];
    const openNumbers = NUMBERS.filter((number) => !isComplete(cardsIn(this.view.places[number - 1])));
    const numbers = place === "card" ? (this.view.fits ?? openNumbers) : openNumbers;
    return numbers.map((number) => this.loop.place(number).at);
  }

  placeOf(action) {
    const number = Number(/\d+$/.exec(action)?.[0]);
    return number ? this.loop.place(number).at : null;
  }

  drop(from, to) {
    const { mark, number, place, single } = from.dataset;
    const target = Number(to?.dataset.number) || null;
    if (place === "card") return this.#dropCard(target);
    if (single && target) this.#addReminder(single, target);
    if (mark && target !== Number(number)) this.act(`unmark ${mark} ${number}`);
    return false;
  }

  #dropCard(number) {
    if (number === null) this.onNote(this.words.drop_on_place);
    return number !== null && this.#place(number);
  }

  press(at) {
    const { mark, number, place, single } = at.dataset;
    if (mark) this.act(`unmark ${mark} ${number}`);
    else if (number) this.#place(Number(number));
    else if (place === "card") this.onNote(this.#placingHint());
    else if (single) this.onNote(this.view.spares[single] ? this.words.how_to_remind : this.words.no_spare);
  }

  look(at) {
    this.aim(at);
  }

  #place(number) {
    if (isComplete(cardsIn(this.view.places[number - 1]))) {
      this.onNote(this.words.filled);
      return false;
    }
    return this.act(`place ${number}`);
  }

  #addReminder(single, number) {
    if (isComplete(cardsIn(this.view.places[number - 1]))) this.onNote(this.words.no_reminder);
    else if (!this.view.spares[single]) this.onNote(this.words.no_spare);
    else this.act(`mark ${single} ${number}`);
  }

  key(key, event) {
    if (event.key.startsWith("Arrow")) return this.#handleArrow(event);
    if (key === "N") this.#focusNextPlace();
    else if (!SINGLES.test(key) || !this.isLive || this.aimedNumber === null) return false;
    else if (event.shiftKey) this.#removeReminder(key, this.aimedNumber);
    else this.#addReminder(key, this.aimedNumber);
    return true;
  }

  #removeReminder(single, number) {
    if (this.view.places[number - 1].marks.includes(single)) this.act(`unmark ${single} ${number}`);
  }

  #handleArrow({ altKey, ctrlKey, key, metaKey, shiftKey }) {
    const isInLoop = this.parts.loop.contains(document.activeElement);
    const page = document.documentElement;
    const scrolls = page.scrollHeight > page.clientHeight;
    if (ctrlKey || altKey || metaKey || shiftKey || (!isInLoop && scrolls)) return false;
    const step = isInLoop ? arrowStep(this.tabbableNumber, key) : 0;
    this.#focus(((this.tabbableNumber - 1 + step + 27) % 27) + 1);
    return true;
  }

  /** Focuses the next fitting place clockwise; without highlighting, the next open place. */
  #focusNextPlace() {
    const openNumbers = this.view.fits ?? NUMBERS.filter((number) => !this.view.places[number - 1].complete);
    let number = numberAfter(this.tabbableNumber);
    if (!this.parts.loop.contains(document.activeElement)) number = this.tabbableNumber;
    while (openNumbers.length && !openNumbers.includes(number)) number = numberAfter(number);
    if (openNumbers.length) this.#focus(number);
  }

  #focus(number) {
    this.loop.place(number).at.focus({ preventScroll: true });
  }
}
