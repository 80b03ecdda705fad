/**
 * The board of the matrix card game: draws views (scene.js) and handles gestures and keys. New turns in a view are played
 * back first (playback.js); then the view is drawn.
 */

import { BaseBoard } from "../cardlab/board.js";
import { Countdown } from "../cardlab/countdown.js";
import { isOthersTurn } from "../cardlab/turn.js";
import { HAND_SIZE, build } from "./build.js";
import { Captions } from "./captions.js";
import { Playback } from "./playback.js";
import { predict } from "./predict.js";
import { Scene, sceneOf } from "./scene.js";
import { Sentences } from "./sentences.js";
import { rotationBetween, turnsBetween } from "./turns.js";

const FLIGHT = 340; // ms

/** @typedef {{over?: string | null, wait?: {ms: number | null, away: string[]}}} Message */

export class Board extends BaseBoard {
  static fromSettings({ robots }) {
    return { robots: Object.keys(robots ?? {}) };
  }

  /**
   * @param {HTMLElement} root the board of `_templates/matrix/Board.html`
   * @param {import("../cardlab/board.js").BoardPage & {robots?: string[]}} page `robots`: the seats that robots play
   */
  constructor(root, { robots = [], ...page }) {
    super(root, { ...page, predict });
    const { words } = this;
    this.parts = build(root, words);
    this.faces = {};
    this.sentences = new Sentences(words, robots);
    this.scene = new Scene(root, this);
    this.captions = new Captions(this, this.onChange);
    this.countdown = new Countdown((time, seconds) => this.captions.drawDeadline(this.view, time, seconds));
    this.drawn = null; // the last drawn view
    this.hand = emptyHand(); // cards keep their places; new cards get empty ones
    this.over = false;
    this.away = []; // the seats of absent participants
    this.playback = null;
    this.drawing = Promise.resolve();
  }

  /**
   * Draws a view, after playing back its new turns.
   * @param {object} before
   * @param {Message & {atOnce?: boolean}} [state] `atOnce`: whether to skip the playback
   */
  draw(before, state) {
    const [{ view }, { atOnce = false }] = [this, state ?? {}];
    // A drag must not choose a card in the next turn.
    if (before && this.decisionPoint(before) !== this.decisionPoint(view) && this.gestures.cancel()) this.onNote(this.words.changed);
    Object.assign(this.faces, view.faces);
    if (state) this.#readMessage(state);
    if (atOnce) this.playback?.skip();
    if (this.playback) return;
    if (!atOnce && this.#newEvents().length) this.drawing = this.#playBack();
    else this.#drawView(view);
  }

  confirm(state) {
    this.#readMessage(state);
    if (!this.playback) this.#drawView(this.view);
  }

  /** @param {Message} message */
  #readMessage({ over = null, wait }) {
    this.over = over !== null;
    this.away = wait?.away ?? [];
    this.countdown.set(this.over ? null : (wait?.ms ?? null));
  }

  redraw() {
    if (this.view && !this.playback) this.#drawView(this.view);
  }

  waitUntilAtRest() {
    return this.drawing;
  }

  /** Replays the views so far, because they determine the places of cards in the hand. */
  async resume(views) {
    this.playback?.skip();
    await this.drawing;
    Object.assign(this, { drawn: null, hand: emptyHand() });
    this.captions.forgetTurns();
    for (const view of views) {
      Object.assign(this.faces, view.faces);
      this.#updateHand(view);
      this.captions.storeTurns(view);
    }
  }

  // Turns and views.

  /** The events to play back before the newest view: a list of `{turn}` and `{rotation}`. */
  #newEvents() {
    const { drawn, view } = this;
    const turns = drawn ? turnsBetween(drawn, view) : null;
    if (turns === null) this.captions.forgetTurns();
    const rotation = drawn && rotationBetween(drawn, view);
    if (rotation && rotation.rotator !== view.seat) return [{ rotation }];
    return (turns ?? []).map((turn) => ({ turn }));
  }

  async #playBack() {
    this.playback = new Playback(this);
    for (let events = this.#newEvents(); events.length; events = this.#newEvents()) {
      const { view } = this;
      await this.playback.show(events);
      this.#drawView(view);
    }
    this.playback = null;
    this.#drawView(this.view);
  }

  #drawView(view) {
    const drawnView = this.drawn;
    const rotation = drawnView && rotationBetween(drawnView, view);
    if (rotation?.rotator === view.seat) this.captions.announceRotation(view, rotation, this.scene.byAxis());
    this.drawn = view;
    const newCards = this.#updateHand(view);
    if (drawnView) for (const card of newCards) this.captions.announceDrawn(card, 1 + this.hand.indexOf(card));
    this.captions.storeTurns(view);
    this.captions.drawTurns(view);
    this.drawScene(sceneOf(view, this.hand, this.over), FLIGHT);
    this.drawStatus();
  }

  /** Draws a scene, to which it adds `open` and `away`. @param {number} [ms] the duration of animations */
  drawScene(scene, ms) {
    const liftedIndex = this.parts.hand.findIndex(({ at }) => at.hasAttribute("data-lifted"));
    if (liftedIndex >= 0 && scene.hand[liftedIndex] !== this.scene.current?.hand[liftedIndex]) this.gestures.cancel();
    const canChoose = !this.over && !this.sentences.reasonForNoCard(this.view);
    this.scene.draw({ ...scene, open: canChoose, away: this.away }, ms);
  }

  /** Shows the outcome of a turn during its playback, otherwise the status. */
  drawStatus() {
    const { away, over, sentences, view } = this;
    if (this.unconfirmedNews) return; // the status is read aloud
    this.captions.drawStatus(this.playback?.sentence || sentences.status(view, { away, over }));
  }

  /** Updates the places of the hand; returns the new cards. */
  #updateHand(view) {
    const keptCards = this.hand.map((card) => (view.hand.includes(card) ? card : null));
    const newCards = view.hand.filter((card) => !keptCards.includes(card));
    const remaining = [...newCards];
    this.hand = keptCards.map((card) => card ?? remaining.shift() ?? null);
    return newCards;
  }

  /** Removes cards from the hand. */
  discard(cards) {
    this.hand = this.hand.map((card) => (cards.includes(card) ? null : card));
  }

  // Gestures and keys.

  aim(element) {
    this.scene.aim(element?.closest("[data-place]") ?? null);
  }

  canDrag(at) {
    const card = cardAt(at);
    if (!card) return false;
    const refusal = this.sentences.reasonForNoCard(this.view, card);
    if (refusal) this.#choose(card);
    else this.playback?.skip();
    return !refusal;
  }

  lift(at) {
    this.aim(at);
  }

  targets(at) {
    return [this.parts.sides.near.slots[this.faces[cardAt(at)].column].at];
  }

  decisionPoint({ turn, rotator }) {
    return `${turn} ${rotator}`;
  }

  placeOf(action) {
    const [verb, target] = action.split(" ");
    const card = verb === "play" && this.root.querySelector(`#tray [data-card="${target}"]`);
    return card ? card.closest("[data-place]") : this.root.querySelector(`.cross[data-cell="${target}"]`);
  }

  drop(from, to) {
    const card = cardAt(from);
    const column = to?.dataset.column;
    if (!card || !column) return false;
    const cardColumn = this.faces[card].column;
    if (column === cardColumn) return this.act(`play ${card}`);
    this.onNote(this.words[`wrong_column_${cardColumn}`]);
    return false;
  }

  press(at) {
    if (at.dataset.place.startsWith("hand")) this.#choose(cardAt(at));
    else if (this.playback) this.playback.skip();
    else if (!at.matches(".cross")) this.onNote(this.sentences.reasonForNoCard(this.view) || this.words.how_to_choose);
    else if (this.view.rotator) this.act(`rotate ${at.dataset.cell}`);
    else this.onNote(this.sentences.reasonForNoTurn(this.view));
  }

  /** Chooses a card, or shows why it cannot be chosen; out of turn, the server answers. */
  #choose(card) {
    const refusal = this.sentences.reasonForNoCard(this.view, card);
    if (refusal && this.playback) this.playback.skip();
    else if (card && (!refusal || (isOthersTurn(this.view) && card !== this.view.chosen))) this.act(`play ${card}`);
    else this.onNote(refusal || this.words.how_to_choose);
  }

  /** The one button is Keep all. */
  command() {
    if (this.playback) this.playback.skip();
    else if (this.view.rotator) this.act("keep");
  }

  key(key) {
    if (!this.isLive || !/^[1-7K]$/.test(key)) return false;
    const { crosses, hand } = this.parts;
    if (key === "K") this.command();
    else if (this.view.rotator !== this.view.seat) this.#choose(cardAt(hand[key - 1].at));
    else if (crosses[key - 1]) this.press(crosses[key - 1].place);
    return true;
  }

  act(action) {
    const wasSent = super.act(action);
    if (wasSent) this.playback?.skip();
    return wasSent;
  }
}

const emptyHand = () => Array(HAND_SIZE).fill(null);

const cardAt = (place) =>
  place.dataset.place.startsWith("hand") ? place.querySelector(".card").dataset.card : undefined;
