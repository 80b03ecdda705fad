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
    this.hand = emptyHand(); // a card keeps its place; a new card gets an empty place
    this.over = false;
    this.away = []; // the seats of absent participants
    this.playback = null;
    this.rest = Promise.resolve();
  }

  /**
   * Draws a view, after playing back its new turns.
   * @param {object} before
   * @param {Message & {atOnce?: boolean}} [state] `atOnce`: whether to skip the playback
   */
  draw(before, state) {
    const [{ view }, { atOnce = false }] = [this, state ?? {}];
    // A drag must not choose a card in the next turn.
    if (before && this.moment(before) !== this.moment(view) && this.gestures.cancel()) this.onNote(this.words.changed);
    Object.assign(this.faces, view.faces);
    if (state) this.#hear(state);
    if (atOnce) this.playback?.skip();
    if (this.playback) return;
    if (!atOnce && this.#news().length) this.rest = this.#playBack();
    else this.#drawView(view);
  }

  confirm(state) {
    this.#hear(state);
    if (!this.playback) this.#drawView(this.view);
  }

  /** @param {Message} message */
  #hear({ over = null, wait }) {
    this.over = over !== null;
    this.away = wait?.away ?? [];
    this.countdown.set(this.over ? null : (wait?.ms ?? null));
  }

  redraw() {
    if (this.view && !this.playback) this.#drawView(this.view);
  }

  atRest() {
    return this.rest;
  }

  /** Replays the views so far, because they determine the places of cards in the hand. */
  async resume(views) {
    this.playback?.skip();
    await this.rest;
    Object.assign(this, { drawn: null, hand: emptyHand() });
    this.captions.forgetTurns();
    for (const view of views) {
      Object.assign(this.faces, view.faces);
      this.#hold(view);
      this.captions.keepTurns(view);
    }
  }

  // Turns and views.

  /** The events to play back before the newest view: a list of `{turn}` and `{rotation}`. */
  #news() {
    const { drawn, view } = this;
    const turns = drawn ? turnsBetween(drawn, view) : null;
    if (turns === null) this.captions.forgetTurns();
    const rotation = drawn && rotationBetween(drawn, view);
    if (rotation && rotation.rotator !== view.seat) return [{ rotation }];
    return (turns ?? []).map((turn) => ({ turn }));
  }

  async #playBack() {
    this.playback = new Playback(this);
    for (let news = this.#news(); news.length; news = this.#news()) {
      const { view } = this;
      await this.playback.show(news);
      this.#drawView(view);
    }
    this.playback = null;
    this.#drawView(this.view);
  }

  #drawView(view) {
    const known = this.drawn;
    const own = known && rotationBetween(known, view);
    if (own?.rotator === view.seat) this.captions.tellRotation(view, own, this.scene.byAxis());
    this.drawn = view;
    const fresh = this.#hold(view);
    if (known) for (const card of fresh) this.captions.tellDrawn(card, 1 + this.hand.indexOf(card));
    this.captions.keepTurns(view);
    this.captions.drawTurns(view);
    this.drawScene(sceneOf(view, this.hand, this.over), FLIGHT);
    this.drawStatus();
  }

  /** Draws a scene, to which it adds `open` and `away`. @param {number} [ms] the duration of animations */
  drawScene(scene, ms) {
    const lifted = this.parts.hand.findIndex(({ at }) => at.hasAttribute("data-lifted"));
    if (lifted >= 0 && scene.hand[lifted] !== this.scene.now?.hand[lifted]) this.gestures.cancel();
    const open = !this.over && !this.sentences.whyNoCard(this.view);
    this.scene.draw({ ...scene, open, away: this.away }, ms);
  }

  /** Shows the outcome of a turn during its playback, otherwise the status. */
  drawStatus() {
    const { away, over, sentences, view } = this;
    if (this.unheard) return; // the status is read aloud
    this.captions.drawStatus(this.playback?.sentence || sentences.status(view, { away, over }));
  }

  /** Updates the places of the hand; returns the new cards. */
  #hold(view) {
    const kept = this.hand.map((card) => (view.hand.includes(card) ? card : null));
    const fresh = view.hand.filter((card) => !kept.includes(card));
    const left = [...fresh];
    this.hand = kept.map((card) => card ?? left.shift() ?? null);
    return fresh;
  }

  /** Removes cards from the hand. */
  discard(cards) {
    this.hand = this.hand.map((card) => (cards.includes(card) ? null : card));
  }

  // What gestures and keys mean.

  aim(element) {
    this.scene.aim(element?.closest("[data-place]") ?? null);
  }

  mayLift(at) {
    const card = cardAt(at);
    if (!card) return false;
    const refusal = this.sentences.whyNoCard(this.view, card);
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

  moment({ turn, rotator }) {
    return `${turn} ${rotator}`;
  }

  placeOf(action) {
    const [verb, what] = action.split(" ");
    const card = verb === "play" && this.root.querySelector(`#tray [data-card="${what}"]`);
    return card ? card.closest("[data-place]") : this.root.querySelector(`.cross[data-cell="${what}"]`);
  }

  drop(from, to) {
    const card = cardAt(from);
    const column = to?.dataset.column;
    if (!card || !column) return false;
    const own = this.faces[card].column;
    if (column === own) return this.act(`play ${card}`);
    this.onNote(this.words[`wrong_column_${own}`]);
    return false;
  }

  press(at) {
    if (at.dataset.place.startsWith("hand")) this.#choose(cardAt(at));
    else if (this.playback) this.playback.skip();
    else if (!at.matches(".cross")) this.onNote(this.sentences.whyNoCard(this.view) || this.words.how_to_choose);
    else if (this.view.rotator) this.act(`rotate ${at.dataset.cell}`);
    else this.onNote(this.sentences.whyNoTurn(this.view));
  }

  /** Chooses a card, or shows why it cannot be chosen; out of turn, the server answers. */
  #choose(card) {
    const refusal = this.sentences.whyNoCard(this.view, card);
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
    if (!this.live || !/^[1-7K]$/.test(key)) return false;
    const { crosses, hand } = this.parts;
    if (key === "K") this.command();
    else if (this.view.rotator !== this.view.seat) this.#choose(cardAt(hand[key - 1].at));
    else if (crosses[key - 1]) this.press(crosses[key - 1].place);
    return true;
  }

  act(action) {
    const sent = super.act(action);
    if (sent) this.playback?.skip();
    return sent;
  }
}

const emptyHand = () => Array(HAND_SIZE).fill(null);

const cardAt = (place) =>
  place.dataset.place.startsWith("hand") ? place.querySelector(".card").dataset.card : undefined;
