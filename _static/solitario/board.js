/** The board of Solitario: draws views (scene.js) and handles gestures and keys. */

import { BaseBoard } from "../cardlab/board.js";
import { FOUNDATIONS, build, preload } from "./build.js";
import { Clock } from "./clock.js";
import { Commands } from "./commands.js";
import { targetsOf } from "./fitting.js";
import { Focus } from "./focus.js";
import { GiveUpDialog } from "./give_up_dialog.js";
import { predict } from "./predict.js";
import { Piles, isColumn, isFoundation } from "./piles.js";
import { Scene } from "./scene.js";
import { Sentences } from "./sentences.js";

const QUICK_CLICK_MS = 450;

export class Board extends BaseBoard {
  /**
   * @param {HTMLElement} root the board of `_templates/solitario/Board.html`
   * @param {import("../cardlab/board.js").BoardPage & {hand?: number, last?: boolean, auto_finish?: boolean}} page `hand`: its number, 0 is the table to try; `last`:
   *   whether no hand follows; `auto_finish`: whether a button may finish the hand
   */
  constructor(root, { hand = 0, last = true, auto_finish: offersFinish = false, ...page }) {
    super(root, { ...page, predict: (view, ...args) => predict(view, ...args, this.scene.waste) });
    this.hand = hand;
    this.last = last;
    this.parts = build(root);
    this.sentences = new Sentences(this.words);
    this.scene = new Scene(this.parts, this.sentences);
    this.piles = new Piles(root);
    this.focus = new Focus(root, this.piles);
    this.clock = new Clock(this.parts);
    this.commands = new Commands(this, offersFinish);
    this.giveUpDialog = new GiveUpDialog(this.parts, this.words);
    this.selectedPlace = null; // the place of the card selected by a click or Space
    this.drawnAt = -Infinity; // when a card was last drawn from the stock
    this.pack = null; // the preloaded faces
    // Browsers click a button when Space is released, but the board has already handled the key.
    root.addEventListener("keyup", (event) => {
      if (event.key === " " && event.target.closest("[data-place]")) event.preventDefault();
    });
  }

  setLive(live) {
    super.setLive(live);
    this.commands?.draw();
    if (live || !this.parts) return; // not yet built
    this.#deselect();
    this.giveUpDialog.close();
  }

  draw(before, state) {
    const { scene, view } = this;
    const draggedCard = this.#keepDrag(before);
    const oldPoses = before && scene.posesOfCards();
    const oldFocus = this.focus.focusedPlace();
    this.pack ??= preload(view);
    scene.draw(view);
    this.root.style.setProperty("--ranks", String(view.cards / FOUNDATIONS.length));
    if (state) this.commands.update();
    else this.commands.draw();
    this.clock.update(view, state);
    this.focus.restore(oldFocus);
    if (!before) {
      this.onChange(this.sentences.start(view));
      return;
    }
    if (this.selectedPlace && !this.piles.isUnchanged(this.selectedPlace, before, view)) this.#deselect();
    scene.arrive(before, view, oldPoses, draggedCard);
    this.onChange(`${this.sentences.news(before, view)} ${this.commands.news(before)}`.trim());
  }

  confirm(state) {
    this.commands.update();
    this.clock.update(this.view, state);
  }

  /** The dragged card; cancels the drag if the card has moved in the new view. */
  #keepDrag(before) {
    const at = this.root.querySelector("[data-lifted]");
    if (!at) return null;
    if (before && !this.piles.isUnchanged(at, before, this.view)) this.gestures.cancel();
    return at.hasAttribute("data-lifted") ? this.cardOf(at) : null;
  }

  goalCards() {
    return this.parts.foundations.map((at) => at.querySelector(".card"));
  }

  cardOf(at) {
    return at.querySelector(".card") ?? at.closest(".card");
  }

  // Gestures and keys.

  canDrag(at) {
    return this.piles.cardsFrom(at, this.view) !== null;
  }

  lift(at) {
    this.#deselect();
    const { pile, name, count } = this.piles.cardsFrom(at, this.view);
    this.onTrace(`pick ${name}${isColumn(pile) ? ` ${count}` : ""}`);
  }

  /** The columns and foundations where the card fits, judging by the visible cards. */
  targets(at) {
    const { pile, count } = this.piles.cardsFrom(at, this.view);
    return targetsOf(this.cardOf(at).dataset.card, pile, count, this.view).map((to) => this.piles.endOf(to));
  }

  placeOf(action) {
    return this.piles.placeOf(action, this.view);
  }

  drop(from, to) {
    if (to) return this.#moveCards(from, to);
    this.onNote(this.words.drop_where);
    return false;
  }

  /** Moves the cards of one place to the pile of another. @returns {boolean} whether the action was sent */
  #moveCards(from, to) {
    const source = this.piles.cardsFrom(from, this.view);
    const pile = this.piles.pileOf(to);
    if (!source || pile === source.pile) return false;
    const { name, count } = source;
    const run = isColumn(source.pile) ? ` ${count}` : "";
    if (isColumn(pile)) return this.act(`${isFoundation(source.pile) ? "back" : "move"} ${name} ${pile[1]}${run}`);
    if (!isFoundation(pile)) this.onNote(this.words.drop_where);
    else if (count > 1) this.onNote(this.words.one_at_a_time);
    else return this.act(`home ${name} ${pile[1]}`);
    return false;
  }

  act(action, early = false, ifInvalid = this.words.changed) {
    this.#deselect(); // before the result is drawn
    return super.act(action, early, ifInvalid);
  }

  tap(at) {
    if (this.clicks.isDoubleClick && this.selectedPlace === at) this.#sendHome(at);
    else this.press(at); // also for fast repeated clicks
  }

  press(at) {
    const { selectedPlace, piles } = this;
    if (at.dataset.place === "stock") this.#useStock();
    else if (selectedPlace === at) this.#deselect();
    else if (selectedPlace && piles.pileOf(selectedPlace) !== piles.pileOf(at)) this.#moveCards(selectedPlace, at);
    else this.#selectOrTurnUp(at);
  }

  /** Sends the last card of a pile home on a right click. A long press is a tap. */
  look(at, { isLongPress }) {
    if (isLongPress) return false;
    if (this.isLive) this.#sendHome(at);
  }

  /** Selects a card with those on it, or turns up a face-down card. */
  #selectOrTurnUp(at) {
    this.#deselect();
    const source = this.piles.cardsFrom(at, this.view);
    const pile = this.piles.pileOf(at);
    if (source) {
      this.selectedPlace = at;
      at.setAttribute("data-selected", "");
      at.setAttribute("aria-pressed", "true");
      const card = this.cardOf(at).dataset.card;
      this.onChange(this.sentences.selected(card, source.count - 1));
    } else if (isColumn(pile)) {
      const { down, up } = this.view.columns[pile[1] - 1];
      if (down && !up.length) this.act(`up ${pile[1]}`);
      else if (!up.length) this.onNote(this.words.take_first);
    } else this.onNote(pile === "w" ? this.words.draw_first : this.words.take_first);
  }

  /** Deselects the selected card. */
  #deselect() {
    this.selectedPlace?.removeAttribute("data-selected");
    this.selectedPlace?.removeAttribute("aria-pressed");
    this.selectedPlace = null;
  }

  #sendHome(at) {
    const pile = this.piles.pileOf(at);
    if (pile === "w" || isColumn(pile)) this.act(`home ${pile === "w" ? "w" : pile[1]}`);
  }

  /** Draws, or turns the stock over; not by the last of many quick clicks, because that costs points. */
  #useStock() {
    const { stock_ends: stockEnds } = this.words;
    if (this.view.stock) this.drawnAt = this.act("draw", false, stockEnds) ? performance.now() : this.drawnAt;
    else if (performance.now() - this.drawnAt < QUICK_CLICK_MS) this.onNote(stockEnds);
    else this.act("turn");
  }

  command(id) {
    const { giveUpDialog } = this;
    if (id === "undo") this.act("undo");
    else if (id === "finish") this.commands.finish();
    else if (id === "give-up" && this.isLive) giveUpDialog.open(false);
    else if (id === "stay") giveUpDialog.close();
    else if (id === "leave-now") {
      giveUpDialog.close();
      this.continuesAutomatically = this.act("give up") && giveUpDialog.startsNext;
    }
  }

  key(key, event) {
    const { altKey, ctrlKey, metaKey } = event;
    if (altKey || ctrlKey || metaKey || document.querySelector("dialog[open]")) return false;
    if (event.key.startsWith("Arrow")) return this.focus.handleArrow(event);
    if (!this.isLive || this.root.querySelector("[data-lifted]")) return false;
    const at = this.root.contains(event.target) && event.target.closest("[data-place]");
    if (at && (event.key === "Enter" || event.key === " ")) {
      if (!event.repeat) this.#handleEnter(at, event.key === "Enter");
    } else if (event.key === "Escape") {
      if (this.selectedPlace) this.#deselect();
      else this.giveUpDialog.open(false);
    } else if (key === "N" && this.hand) {
      if (this.last) this.onNote(this.words.no_next);
      else this.giveUpDialog.open(true);
    } else if (key === "D") this.#useStock();
    else if (key === "F" && this.commands.mayFinish) this.commands.finish();
    else if (key === "U" && this.view.may_undo !== null) this.act("undo");
    else if (/^[1-7]$/.test(key)) this.#goToColumn(`c${key}`);
    else return false;
    return true;
  }

  /** Enter sends a card home, Space selects it; both move the selected card. */
  #handleEnter(at, isEnter) {
    const isLastCard = this.piles.cardsFrom(at, this.view)?.count === 1 && !isFoundation(this.piles.pileOf(at));
    if (isEnter && isLastCard && !this.selectedPlace) this.#sendHome(at);
    else this.press(at);
  }

  /** Moves the selected card to a column, or the focus. */
  #goToColumn(pile) {
    if (this.selectedPlace) this.#moveCards(this.selectedPlace, this.piles.at(pile));
    this.focus.goTo(pile);
  }
}
