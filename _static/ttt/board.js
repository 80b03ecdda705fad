/**
 * The board of Target the Two: draws views (scene.js) and handles gestures and keys.
 *
 * With two players, `view.seat` is the participant's own keeper. A robot's move arrives in one message with the move before it, so
 * the position between the two is drawn first, and a moment later the newest.
 */

import { BaseBoard } from "../cardlab/board.js";
import { Countdown } from "../cardlab/countdown.js";
import { pageLifetime } from "../cardlab/page_lifetime.js";
import { picture } from "../cardlab/pictures.js";
import { isOthersTurn } from "../cardlab/turn.js";
import { positionBetween } from "./between.js";
import { Captions } from "./captions.js";
import { KEEPER_AT, MOVE_TO, PLACE_FOR, PLACE_OF, otherKeeper } from "./places.js";
import { predict } from "./predict.js";
import { Scene, addressOf } from "./scene.js";

const PACK = ["2H", "3H", "4H", "2C", "3C", "4C"];
const THINKING_MS = 1000; // a robot's apparent thinking time

/** `wait`: where two play. @typedef {{over?: string | null, wait?: {ms: number | null, away: string[]}}} Message */
export class Board extends BaseBoard {
  // Preloads all six cards, which reveals nothing about the deal.
  static pack = PACK.map((card) => Object.assign(new Image(), { src: addressOf(card) }));

  static fromSettings({ CardsBackFile: back, robots }) {
    return {
      back_url: picture(`backs/${back.includes(".") ? back : `${back}.svg`}`),
      robots: Object.keys(robots ?? {}),
    };
  }

  /**
   * @param {HTMLElement} root the board of `_templates/ttt/Board.html`
   * @param {import("../cardlab/board.js").BoardPage & {back_url: string, robots?: string[], change_sentence?: string, twice?: boolean}} page `back_url`:
   *   address of the card back; `robots`: the seats of robots; `change_sentence`: the sentence before the first
   *   move; `twice`: whether an exchange by click needs a second click
   */
  constructor(root, { back_url: backUrl, robots = [], twice: needsTwoClicks = false, ...page }) {
    super(root, { ...page, predict });
    this.needsTwoClicks = needsTwoClicks;
    /** @type {HTMLElement | null} */
    this.markedPlace = null; // the place clicked once, if exchanges need two clicks
    const onPress = (event) => {
      if (this.markedPlace && !event.composedPath().includes(this.markedPlace)) this.#markPlace(null);
    };
    document.addEventListener("pointerdown", onPress, { signal: pageLifetime });
    this.captions = new Captions(this, { robots, changeSentence: page.change_sentence ?? "" });
    this.places = Object.fromEntries([...root.querySelectorAll("[data-place]")].map((at) => [at.dataset.place, at]));
    this.scene = new Scene(this, backUrl);
    this.status = { over: false, away: [] }; // with two players, the state besides the view
    this.endDelay = null; // while an earlier position is shown, the function that ends the delay
    this.drawing = Promise.resolve();
    /** @type {Countdown | null} */
    this.countdown = null;
  }

  /**
   * @param {object} before
   * @param {Message & {atOnce?: boolean}} [state] `atOnce`: whether to draw only the newest view
   */
  draw(before, state) {
    const [{ view }, { atOnce = false }] = [this, state ?? {}];
    if (before && before.moves !== view.moves) this.gestures.cancel();
    if (before !== view) this.#markPlace(null);
    if (state && before !== view) this.#readMessage(state);
    if (atOnce) this.endDelay?.();
    if (!this.endDelay) this.#drawNewest(atOnce); // else it is drawn after the delay
    if (view.seat && before !== view) this.#setLimit(state);
  }

  confirm(state) {
    if (!this.view.seat) return;
    this.#readMessage(state);
    this.scene.drawTwo(this.status);
    this.#setLimit(state);
  }

  /** @param {Message} message */
  #readMessage({ over = null, wait }) {
    this.status = { over: over !== null, away: wait?.away ?? [] };
  }

  #drawNewest(atOnce) {
    const earlierView = atOnce ? null : positionBetween(this.scene.drawn, this.view);
    if (earlierView) this.drawing = this.#drawBoth(earlierView);
    else this.scene.draw(this.view, this.status);
  }

  /**
   * Counts down the turn's limit, but not while an earlier move is still shown.
   * @param {Message} [message]
   */
  #setLimit({ over = null, wait } = {}) {
    const timeText = (time) => (this.endDelay ? "" : time);
    this.countdown ??= new Countdown((time, seconds) => this.captions.drawDeadline(this.view, timeText(time), seconds));
    this.countdown.set(over === null ? (wait?.ms ?? null) : null);
  }

  /** Draws the position before a robot's move or a server's pass, and then the newest view. */
  async #drawBoth(between) {
    this.scene.draw(between, { ...this.status, over: false });
    if (this.view.before_last && !document.hidden) {
      await new Promise((resolve) => {
        this.endDelay = resolve;
        setTimeout(resolve, THINKING_MS);
      });
      this.endDelay = null;
    }
    this.scene.draw(this.view, this.status);
  }

  waitUntilAtRest() {
    return this.drawing;
  }

  async resume(_views) {
    this.endDelay?.();
    await this.drawing;
    this.scene.forgetView();
  }

  goalCards() {
    return [this.places.T, this.root.querySelector("#goal")].map((at) => at.querySelector(".card"));
  }

  // Gestures and keys.

  /** Whether the participant has to wait. If so, shows why, and sends the action to be refused and recorded. */
  #mustWait(action = "") {
    if (this.endDelay) this.endDelay(); // input ends the delay
    else if (this.view.turn === null) return true; // the hand is over, which the server will confirm
    else if (!isOthersTurn(this.view)) return false;
    else if (action) this.act(action);
    else this.onNote(this.captions.reasonToWait(this.view));
    return true;
  }

  canDrag(at) {
    if (this.#mustWait()) return false;
    const { place } = at.dataset;
    const refusal = place in KEEPER_AT ? this.#reasonKeeperStays(place) : "";
    if (refusal) this.onNote(refusal);
    return !refusal;
  }

  lift(at) {
    this.#markPlace(null);
    this.onTrace(`pick ${at.dataset.place.toLowerCase()}`);
  }

  #reasonKeeperStays(place) {
    const { view, words } = this;
    if (place !== PLACE_OF[view.turn]) return words[`${view.seat ? "not_your" : "other"}_keeper_${view.turn}`];
    return view.drag_keepers ? "" : words.drag_onto_keeper;
  }

  targets({ dataset: { place } }) {
    const partners = place in KEEPER_AT ? Object.keys(MOVE_TO) : [PLACE_OF[this.view.turn]];
    return partners.map((partner) => this.places[partner]);
  }

  /** With two players, each move answers the one before. */
  decisionPoint({ moves, seat }) {
    return seat ? moves : "";
  }

  placeOf(action) {
    return this.places[PLACE_FOR[action]] ?? null;
  }

  /** @param {HTMLElement} at  @param {HTMLElement | null} to */
  drop(at, to) {
    if (!to) return false;
    const from = at.dataset.place;
    const [target, keeper] = [to.dataset.place, PLACE_OF[this.view.turn]];
    const partner = from === keeper ? target : from;
    if ((from === keeper || target === keeper) && partner in MOVE_TO) return this.act(MOVE_TO[partner]);
    this.onNote(this.#reasonForNoMove(from, target));
    return false;
  }

  #reasonForNoMove(from, to) {
    if (from in KEEPER_AT && to in KEEPER_AT) return this.words.keepers_never;
    return this.words[`${to in KEEPER_AT ? "other" : "needs"}_keeper_${this.view.turn}`];
  }

  /** Marks the card at the first click, if exchanges need two clicks. */
  tap(at, { isLongPress }) {
    if (this.clicks.isRepeat) return this.onNote(this.words.double_click);
    const needsSecondClick = this.needsTwoClicks && !isLongPress && at.dataset.place in MOVE_TO && at !== this.markedPlace && !isOthersTurn(this.view);
    if (!needsSecondClick) this.press(at);
    else if (!this.#mustWait()) this.#markPlace(at);
  }

  /** Marks the card of a place and explains the second click; with null removes the mark. */
  #markPlace(at) {
    if (at === this.markedPlace) return;
    this.forgetRefusal();
    this.markedPlace?.removeAttribute("data-chosen");
    this.markedPlace = at;
    at?.setAttribute("data-chosen", this.words.again);
    this.onNote(at ? this.words.again_exchanges : "");
  }

  press({ dataset: { place } }) {
    this.#markPlace(null);
    if (this.#mustWait(MOVE_TO[place])) return;
    if (place in MOVE_TO) this.act(MOVE_TO[place]);
    else if (this.view.cards[place] === null) this.#look(KEEPER_AT[place]);
    else this.onNote(this.#reasonKeeperStays(place) || this.words.how_to_keeper);
  }

  /**
   * @param {HTMLElement} at
   * @param {{isLongPress: boolean}} how
   */
  look(at, { isLongPress }) {
    const { place } = at.dataset;
    if (place in MOVE_TO) return !(this.needsTwoClicks && isLongPress); // a long press needs no second tap
    this.#look(KEEPER_AT[place]);
    return true;
  }

  #look(keeper) {
    if (!this.isLive || this.#mustWait()) return;
    const { view, words } = this;
    if (view.may_look.includes(keeper)) this.act(`look ${keeper}`);
    else if (view.cards[PLACE_OF[keeper]] === null) this.onNote(view.seat ? words.no_look_at_other : words.no_look);
  }

  /** The one button is Pass. */
  command() {
    if (this.isLive && !this.#mustWait("P")) this.act("P");
  }

  key(key, { key: keyName, shiftKey }) {
    if (keyName === "Escape") this.#markPlace(null);
    if (!this.isLive || !/^[UCNTPV]$/.test(key)) return false;
    if (this.#mustWait(key === "V" ? "" : key)) return true;
    if (key !== "V") this.act(key);
    else this.#look(shiftKey ? otherKeeper(this.view.turn) : this.view.turn);
    return true;
  }
}
