/**
 * The base class of all games' boards: the newest view, sending actions, and mouse, touch and keyboard input.
 *
 * A game's `Board` extends it with `draw`, and overrides those methods at the end that it needs. A board knows only its
 * view; the server decides whether a move is allowed. Each view draws the whole board; animations show how cards get there.
 * A move whose result is known is drawn at once, and taken back if the server rejects it (predictions.js).
 */

import { connectInput } from "./board_input.js";
import { Clicks } from "./clicks.js";
import { arrive, nudge } from "./motion.js";
import { Predictions } from "./predictions.js";
import { isOthersTurn } from "./turn.js";

const nothing = () => {};
/** A game's board. @typedef {new (root: HTMLElement, page: any) => BaseBoard} BoardClass */

/**
 * The constructor arguments of every board, from the page's `js_vars`. Without the callbacks a board only shows views.
 * @typedef {object} BoardPage
 * @property {Record<string, string>} words the participant's texts
 * @property {(action: string, early: boolean, stands: () => boolean) => boolean} [onAction] sends an action after those
 *   before it, if it still `stands` then; false if it cannot be sent
 * @property {() => number} [unsettled] returns the number of actions without an answer
 * @property {any} [options] those of the hand that moves are predicted from; without both, none is
 * @property {(view: any, action: string, options: any) => object | null} [predict] returns the view after an action, as
 *   the server will send it; null if that is not known, or the action not legal
 * @property {(trace: string) => void} [onTrace] records a pick-up
 * @property {(sentence: string) => void} [onNote] shows why an input was no move
 * @property {(sentence: string) => void} [onChange] announces a change to screen readers
 * @property {boolean} [light_up] whether a pick-up highlights the places where the card may be dropped
 */

export class BaseBoard {
  unheard = null; // the announcements while a view is drawn that is not confirmed
  #isRefused = false; // whether the newest message has refused an action

  /** The game's own constructor arguments without a page: a replay has only the settings of the record. */
  static fromSettings(_settings) {
    return {};
  }

  /**
   * @param {HTMLElement} root contains the places: elements with `data-place`, each with one `.card`
   * @param {BoardPage} page a game's board may need more properties
   */
  constructor(root, { light_up: lightUp = false, options = null, predict, unsettled, words, ...heard }) {
    const { onAction = () => false, onTrace = nothing, onNote = nothing, onChange = nothing } = heard;
    this.root = root;
    this.words = words;
    this.lightUp = lightUp;
    this.onAction = onAction;
    this.onTrace = onTrace;
    this.onNote = onNote;
    this.onChange = (sentence) => (this.unheard ? this.unheard.push(sentence) : onChange(sentence));
    const known = (view, action) => options && predict(view, action, options);
    this.predictions = new Predictions(known, unsettled ?? (() => Infinity));
    this.view = null; // what is shown: the newest, or the one predicted from it
    this.sent = null; // the last action that was sent
    this.goesOn = false; // whether the player asked to continue automatically after the hand
    this.clicks = new Clicks(root);
    this.gestures = connectInput(this);
    this.setLive(false);
  }

  /** Sets whether the participant can play: connected, and the hand is not over. */
  setLive(live) {
    this.live = live;
    this.root.classList.toggle("inert", !live);
    this.root.setAttribute("aria-disabled", String(!live));
    if (!live) this.gestures.cancel();
  }

  /** Shows a view of the server. @param {object} [state] its message */
  show(view, state, refused = Boolean(state?.refused)) {
    this.#isRefused = refused;
    const { over, next } = state ?? {};
    const { back, news, shown, isDrawn, isNew } = this.predictions.settle(view, next, refused, Boolean(over));
    news.forEach(this.onChange);
    const isBack = back.length > 0 && !isNew; // the last of them is the view itself
    for (const each of isBack ? back.slice(0, -1) : back) this.#drawUnheard(each, []);
    if (isDrawn) {
      this.view = shown;
      this.confirm(state);
    } else if (isBack) this.#drawUnheard(shown, [], state);
    else this.#draw(shown, state);
  }

  /** Takes the predicted moves back, because an answer came without a view. */
  takeBack() {
    if (this.view) this.show(this.predictions.confirmed, undefined, true);
  }

  #draw(view, state) {
    const before = this.view;
    this.view = view;
    this.draw(before, state);
  }

  /** Draws a view without announcing it; the sentences are added to `news`. */
  #drawUnheard(view, news, state) {
    this.unheard = news;
    this.#draw(view, state);
    this.unheard = null;
  }

  /** Draws the newest view again, so that a card dropped outside any place goes back. */
  redraw() {
    if (this.view) this.draw(this.view);
  }

  /** Resolves when all animations are done. */
  async atRest() {}

  /** Continues after views that were not shown, for a board that shows more than its newest view. */
  async resume(_views) {}

  /**
   * Sends an action, `early` if it needs one's turn and is tried before, and draws its result if that is known. It waits
   * for the answers to those before it, and is sent only if they are as predicted or leave what it takes where it was.
   * @returns {boolean} whether it is on its way
   */
  act(action, early = isOthersTurn(this.view)) {
    if (!this.live) return false;
    this.forgetRefusal();
    const [taken, moment] = [this.#takenBy(action), this.moment(this.view)];
    const predicted = this.predictions.add(this.view, action);
    const isSame = () => this.#takenBy(action) === taken && this.moment(this.view) === moment;
    const stands = () => {
      const same = this.live && (predicted ? this.predictions.holds(predicted) : isSame());
      if (same) this.sent = action;
      else if (!predicted || !this.#isRefused) this.onNote(this.words.changed);
      return same;
    };
    const accepted = this.onAction(action, early, stands);
    if (accepted) this.clicks.act();
    else this.predictions.drop(predicted);
    if (accepted && predicted) this.#drawUnheard(predicted.view, predicted.news);
    return accepted;
  }

  /** The card that an action takes: its name if it is known, and whether there is one. */
  #takenBy(action) {
    const at = this.placeOf(action);
    const card = at && this.cardOf(at);
    return card && `${card.dataset.card} ${card.classList.contains("undealt")}`;
  }

  /** Marks the place of the last action, which the server has refused. */
  refuse() {
    const at = this.sent && this.placeOf(this.sent);
    if (!at) return;
    at.setAttribute("data-refused", "");
    nudge(at);
  }

  /** Removes that mark. */
  forgetRefusal() {
    this.root.querySelector("[data-refused]")?.removeAttribute("data-refused");
  }

  /** Moves a dropped card back to its place. */
  putBack(card) {
    arrive(card, card.getBoundingClientRect());
  }

  // Methods for games to override.

  /**
   * Draws the view to be shown, `this.view`.
   * @param {object | null} _before the view before; the same if it is drawn again, null for the first
   * @param {object} [_state] the view's message; none if it is drawn again or predicted
   */
  draw(_before, _state) {
    throw new Error("A board draws its view.");
  }

  /** Takes the message of a view that is on the board already, because it was predicted. */
  confirm(_state) {}

  /** The card in a place, which is dragged. */
  cardOf(at) {
    return at.querySelector(".card");
  }

  /** Whether the card in a place may be dragged. Like drop, tap and press, called only while the board is live. */
  mayLift(_at) {
    return false;
  }

  /** A drag has begun. */
  lift(_at) {}

  /** The places where a card may be dropped, without revealing hidden cards. @returns {HTMLElement[]} */
  targets(_at) {
    return [];
  }

  /** What an action is an answer to: one that waits is not sent if this has changed. @returns {any} */
  moment(_view) {}

  /** The place of an action, to be marked if it is refused. @returns {HTMLElement | null} */
  placeOf(_action) {
    return null;
  }

  /** A card was dropped on a place, or on none. @returns {boolean} whether it stays there until the server answers */
  drop(_from, _to) {
    return false;
  }

  /** A place was clicked or touched (`held`: long): by default like `press`, but once for a double click. */
  tap(at, _how) {
    if (this.clicks.again) this.onNote(this.words.double_click);
    else this.press(at);
  }

  /** A place was activated: by Enter or Space, a screen reader, or `tap`. */
  press(_at) {}

  /** The cards to highlight when the hand is solved or won. @returns {HTMLElement[]} */
  reached() {
    return [];
  }

  /**
   * A place was right-clicked or long-pressed.
   * @param {{held: boolean}} _how `held`: long-pressed
   * @returns {boolean | void} false if this has no meaning, and a long press is a tap
   */
  look(_at, _how) {
    return false;
  }

  /** A button of the board, other than a place, was pressed. */
  command(_id) {}

  /**
   * A key (`pressedKey`) was pressed, wherever the focus is.
   * @returns {boolean} whether the board handles it; the browser's default is then prevented
   */
  key(_key, _event) {
    return false;
  }

  /** The pointer or the focus has entered an element, or with null has left. */
  aim(_element) {}
}
