/**
 * The base class of all games' boards: the newest view, sending actions, and mouse, touch and keyboard input.
 *
 * A game's `Board` extends it with `draw`, and overrides the methods at the end that it needs. A board knows only its
 * view; the server decides whether a move is allowed. Each view draws the whole board; animations show how cards moved.
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
 * The constructor arguments of every board, from the page's `js_vars`. Without callbacks, a board only shows views.
 * @typedef {object} BoardPage
 * @property {Record<string, string>} words the participant's texts
 * @property {(action: string, early: boolean, isStillValid: () => boolean) => boolean} [onAction] sends an action after
 *   earlier ones, if `isStillValid()` is true then; false if it cannot be sent
 * @property {() => number} [countUnanswered] returns the number of actions without an answer
 * @property {any} [options] the hand's settings that `predict` needs; if either is missing, nothing is predicted
 * @property {(view: any, action: string, options: any) => object | null} [predict] returns the view after an action, as
 *   the server will send it; null if the view is not predictable or the action is illegal
 * @property {(trace: string) => void} [onTrace] records a pick-up
 * @property {(sentence: string) => void} [onNote] explains why an input was not a move
 * @property {(sentence: string) => void} [onChange] announces a change to screen readers
 * @property {boolean} [light_up] whether a pick-up highlights the places where the card may be dropped
 */

export class BaseBoard {
  unconfirmedNews = null; // the announcements of an unconfirmed view while it is drawn
  #isRefused = false; // whether the newest message has refused an action

  /** Returns the game's own constructor arguments for a replay, which has the record's settings but no page. */
  static fromSettings(_settings) {
    return {};
  }

  /**
   * @param {HTMLElement} root contains the places: elements with `data-place`, each with one `.card`
   * @param {BoardPage} page a game's board may require more properties
   */
  constructor(root, { light_up: lightUp = false, options = null, predict, countUnanswered, words, ...callbacks }) {
    const { onAction = () => false, onTrace = nothing, onNote = nothing, onChange = nothing } = callbacks;
    this.root = root;
    this.words = words;
    this.lightUp = lightUp;
    this.onAction = onAction;
    this.onTrace = onTrace;
    this.onNote = onNote;
    this.onChange = (sentence) => (this.unconfirmedNews ? this.unconfirmedNews.push(sentence) : onChange(sentence));
    const predictView = (view, action) => options && predict(view, action, options);
    this.predictions = new Predictions(predictView, countUnanswered ?? (() => Infinity));
    this.view = null; // the shown view: the newest, or one predicted from it
    this.sent = null; // the last action that was sent
    this.continuesAutomatically = false; // whether the next hand begins at once, because the player asked for it
    this.clicks = new Clicks(root);
    this.gestures = connectInput(this);
    this.setLive(false);
  }

  /** Sets whether the participant can play: connected, and the hand is not over. */
  setLive(isLive) {
    this.isLive = isLive;
    this.root.classList.toggle("inert", !isLive);
    this.root.setAttribute("aria-disabled", String(!isLive));
    if (!isLive) this.gestures.cancel();
  }

  /** Shows a view from the server. @param {object} [state] the message that contains it */
  show(view, state, refused = Boolean(state?.refused)) {
    this.#isRefused = refused;
    const { over, next } = state ?? {};
    const { earlierViews, news, shown, isDrawn, isNew } = this.predictions.settle(view, next, refused, Boolean(over));
    news.forEach(this.onChange);
    const isBack = earlierViews.length > 0 && !isNew; // the last of them is the view itself
    for (const earlierView of isBack ? earlierViews.slice(0, -1) : earlierViews) this.#drawUnannounced(earlierView, []);
    if (isDrawn) {
      this.view = shown;
      this.confirm(state);
    } else if (isBack) this.#drawUnannounced(shown, [], state);
    else this.#draw(shown, state);
  }

  /** Takes predicted moves back after an answer without a view. */
  takeBack() {
    if (this.view) this.show(this.predictions.confirmed, undefined, true);
  }

  #draw(view, state) {
    const previousView = this.view;
    this.view = view;
    this.draw(previousView, state);
  }

  /** Draws a view without announcing it; the sentences are added to `news`. */
  #drawUnannounced(view, news, state) {
    this.unconfirmedNews = news;
    this.#draw(view, state);
    this.unconfirmedNews = null;
  }

  /** Draws the newest view again, so that a card dropped outside any place goes back. */
  redraw() {
    if (this.view) this.draw(this.view);
  }

  /** Resolves when all animations are done. */
  async waitUntilAtRest() {}

  /** Continues after views that were not shown, for a board that shows more than its newest view. */
  async resume(_views) {}

  /**
   * Sends an action after the answers to earlier ones, and draws its result if that is predictable. An action that waits
   * is sent only if the earlier answers are as predicted, or have not moved the card that it takes.
   * @param {boolean} early whether the action comes before this player's turn
   * @param {string} ifInvalid the sentence for an action that was not sent
   * @returns {boolean} whether it was accepted for sending
   */
  act(action, early = isOthersTurn(this.view), ifInvalid = this.words.changed) {
    if (!this.isLive) return false;
    this.forgetRefusal();
    const [takenCard, decisionPoint] = [this.#cardTakenBy(action), this.decisionPoint(this.view, action)];
    const predicted = this.predictions.add(this.view, action);
    const isSamePosition = () => this.#cardTakenBy(action) === takenCard && this.decisionPoint(this.view, action) === decisionPoint;
    const isStillValid = () => {
      const isValid = this.isLive && (predicted ? this.predictions.isUnconfirmed(predicted) : isSamePosition());
      if (isValid) this.sent = action;
      else if (!predicted || !this.#isRefused) this.onNote(ifInvalid);
      return isValid;
    };
    const accepted = this.onAction(action, early, isStillValid);
    if (accepted) this.clicks.recordAction();
    else this.predictions.discard(predicted);
    if (accepted && predicted) this.#drawUnannounced(predicted.view, predicted.news);
    return accepted;
  }

  /** Identifies the card that an action takes: its name if known, and whether it is undealt. */
  #cardTakenBy(action) {
    const place = this.placeOf(action);
    const card = place && this.cardOf(place);
    return card && `${card.dataset.card} ${card.classList.contains("undealt")}`;
  }

  /** Marks the place of the last action, because the server has refused it. */
  refuse() {
    const place = this.sent && this.placeOf(this.sent);
    if (!place) return;
    place.setAttribute("data-refused", "");
    nudge(place);
  }

  /** Removes the mark of a refused action. */
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
   * @param {object | null} _before the previous view; the same one if it is drawn again, null for the first
   * @param {object} [_state] the view's message; none if it is drawn again or predicted
   */
  draw(_before, _state) {
    throw new Error("A board draws its view.");
  }

  /** Handles the message that confirms a predicted view, which is on the board already. */
  confirm(_state) {}

  /** The card in a place, which a drag moves. */
  cardOf(place) {
    return place.querySelector(".card");
  }

  /** Whether the card in a place may be dragged. Like drop, tap and press, called only while the board is live. */
  canDrag(_at) {
    return false;
  }

  /** Handles the start of a drag. */
  lift(_at) {}

  /** The places where a card may be dropped, without revealing hidden cards. @returns {HTMLElement[]} */
  targets(_at) {
    return [];
  }

  /** Identifies the decision that an action belongs to. A queued action is not sent if this has changed. @returns {any} */
  decisionPoint(_view, _action) {}

  /** The place of an action, to be marked if it is refused. @returns {HTMLElement | null} */
  placeOf(_action) {
    return null;
  }

  /** Handles a card dropped on a place, or outside any place. @returns {boolean} whether it stays there until the server answers */
  drop(_from, _to) {
    return false;
  }

  /** Handles a click or touch on a place. By default it is `press`, but a double click acts only once. */
  tap(place, _how) {
    if (this.clicks.isRepeat) this.onNote(this.words.double_click);
    else this.press(place);
  }

  /** Handles the activation of a place by Enter or Space, a screen reader, or `tap`. */
  press(_at) {}

  /** The cards to highlight when the hand is solved or won. @returns {HTMLElement[]} */
  goalCards() {
    return [];
  }

  /**
   * Handles a right click or a long press on a place.
   * @param {{isLongPress: boolean}} _how `isLongPress`: false for a right click
   * @returns {boolean | void} false if it has no meaning; a long press is then a tap
   */
  look(_at, _how) {
    return false;
  }

  /** Handles a press of a button other than a place. */
  command(_id) {}

  /**
   * Handles a key (`pressedKey`), wherever the focus is.
   * @returns {boolean} whether the board handles it; the browser's default is then prevented
   */
  key(_key, _event) {
    return false;
  }

  /** Handles the pointer or focus entering an element; null if it has left. */
  aim(_element) {}
}
