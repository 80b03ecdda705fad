/**
 * What the boards of all games have in common: whether one can play, the newest view, sending actions, and listening
 * to mouse, finger and keys.
 *
 * A game's `Board` extends it. It writes `draw` and, of the methods at the end, those that mean something in it.
 * It knows what the view says and nothing more: whether a move is allowed only the server can tell. Every view
 * draws the whole board; motion is only how the cards get there.
 */

import { Clicks } from "./clicks.js";
import { listen } from "./gestures.js";
import { pressedKey } from "./keys.js";
import { arrive, lift, nudge } from "./motion.js";
import { isOthersTurn } from "./turn.js";

const nothing = () => {};

/** A game's board. @typedef {new (root: HTMLElement, page: any) => BaseBoard} BoardClass */

/**
 * The page's `js_vars` that every board is made with. Without `on…` nobody plays, nothing is said.
 * @typedef {object} BoardPage
 * @property {Record<string, string>} words the sentences a participant reads, `one_moment` among them
 * @property {(action: string, early: boolean) => boolean} [onAction] false if another action is still on its way
 * @property {(trace: string) => void} [onTrace] pick-ups
 * @property {(sentence: string) => void} [onNote] why something was no move
 * @property {(sentence: string) => void} [onChange] what changed, for those who cannot see it
 * @property {boolean} [light_up] whether a pick-up lights the places where the card may be dropped
 */

export class BaseBoard {
  /**
   * What the constructor needs beside the words and `on…`, for a board without a page: a replay has the settings of
   * the hand's record only.
   */
  static fromSettings(_settings) {
    return {};
  }

  /**
   * @param {HTMLElement} root holds the places: elements with `data-place`, each with one `.card`
   * @param {BoardPage} page of which a game's board may need more
   */
  constructor(root, { light_up: lightUp = false, words, ...heard }) {
    const { onAction = () => false, onTrace = nothing, onNote = nothing, onChange = nothing } = heard;
    this.root = root;
    this.words = words;
    this.lightUp = lightUp;
    this.onAction = onAction;
    this.onTrace = onTrace;
    this.onNote = onNote;
    this.onChange = onChange;
    this.view = null; // the newest
    this.sent = null; // the last action
    this.goesOn = false; // whether the page continues automatically after the hand, because the player asked for it
    this.clicks = new Clicks(root);
    this.#listen();
    this.setLive(false);
  }

  /** Whether the participant can play: connected, and the hand not over. */
  setLive(live) {
    this.live = live;
    this.root.classList.toggle("inert", !live);
    this.root.setAttribute("aria-disabled", String(!live));
    if (!live) this.gestures.cancel();
  }

  /** Show a view. @param {object} [state] the message that it came with */
  show(view, state) {
    const before = this.view;
    this.view = view;
    this.draw(before, state);
  }

  /** Draw the newest view again: a card dropped outside any place goes back. */
  redraw() {
    if (this.view) this.draw(this.view);
  }

  /** Resolved when all that has happened has been shown. */
  async atRest() {}

  /** Go on after these views, which are not shown: for a board on which more is seen than the newest view tells. */
  async resume(_views) {}

  /**
   * Show how the hand has ended (ends.js), to who may know it.
   * @param {boolean} moving whether it has just happened
   */
  end(kind, moving) {
    this.root.dataset.end = kind;
    if (kind !== "reached") return;
    for (const card of this.reached()) {
      card.setAttribute("data-reached", "");
      if (moving) lift(card);
    }
  }

  /** Send an action, `early` if it needs one's turn and is tried before. @returns {boolean} whether it is on its way */
  act(action, early = isOthersTurn(this.view)) {
    if (!this.live) return false;
    const sent = this.onAction(action, early);
    this.forgetRefusal();
    this.sent = sent ? action : this.sent;
    if (sent) this.clicks.act();
    else this.onNote(this.words.one_moment);
    return sent;
  }

  /** The server has refused the last action: mark the place that was meant. */
  refuse() {
    const at = this.sent && this.placeOf(this.sent);
    if (!at) return;
    at.setAttribute("data-refused", "");
    nudge(at);
  }

  /** Take that mark off again. */
  forgetRefusal() {
    this.root.querySelector("[data-refused]")?.removeAttribute("data-refused");
  }

  /** Let a card go from where it was dropped to its place. */
  putBack(card) {
    arrive(card, card.getBoundingClientRect());
  }

  #listen() {
    const { root } = this;
    this.gestures = listen(root, {
      places: "[data-place]",
      cardOf: (at) => this.cardOf(at),
      mayLift: (at) => this.live && this.mayLift(at),
      onLift: (at) => this.#lift(at),
      onDrop: (from, to) => this.#drop(from, to),
      onTap: (at, how) => this.live && this.tap(at, how),
      onLook: (at, how) => this.look(at, how),
    });
    root.addEventListener("click", (event) => this.#click(event));
    root.addEventListener("pointerover", (event) => this.aim(event.target));
    root.addEventListener("pointerleave", () => this.aim(null));
    root.addEventListener("focusin", (event) => this.aim(event.target));
    root.addEventListener("focusout", () => this.aim(null));
    document.addEventListener("keydown", (event) => {
      const key = pressedKey(event);
      if (this.view && this.key(key, event)) event.preventDefault();
    });
  }

  #lift(at) {
    for (const target of this.lightUp ? this.targets(at) : []) target.setAttribute("data-highlighted", "");
    this.lift(at);
  }

  #drop(from, to) {
    for (const lit of this.root.querySelectorAll("[data-place][data-highlighted]")) lit.removeAttribute("data-highlighted");
    if (!this.live || !this.drop(from, to)) this.putBack(this.cardOf(from));
  }

  /** A mouse click on a place has been a tap already; what comes here without one is a key or a screen reader. */
  #click({ target, detail }) {
    const at = target.closest("[data-place], button");
    if (!at) return;
    if (!at.dataset.place) {
      if (detail <= 1) this.command(at.id); // the second click of a double click is no second command
    } else if (detail === 0 && this.live) this.press(at);
  }

  // What a game writes.

  /**
   * Draw the newest view, `this.view`.
   * @param {object | null} _before the view before it; the same if it is drawn again, null if it is the first
   * @param {object} [_state] the message that it came with; none if it is drawn again
   */
  draw(_before, _state) {
    throw new Error("A board draws its view.");
  }

  /** The card in a place: what is dragged. */
  cardOf(at) {
    return at.querySelector(".card");
  }

  /** Whether the card in a place may be dragged now. Asked only while one can play, as are drop, tap and press. */
  mayLift(_at) {
    return false;
  }

  /** A drag has begun. */
  lift(_at) {}

  /** Where the card of a place may be dropped, as far as everybody may know. @returns {HTMLElement[]} */
  targets(_at) {
    return [];
  }

  /** The place that an action is about, to mark it if the action is refused. @returns {HTMLElement | null} */
  placeOf(_action) {
    return null;
  }

  /**
   * A card was dropped on a place, or on none.
   * @param {HTMLElement} _from
   * @param {HTMLElement | null} _to
   * @returns {boolean} whether it waits there for the server's answer; else it goes back
   */
  drop(_from, _to) {
    return false;
  }

  /** A place was clicked or touched (`held`: for long): as a rule what `press` does, but once for a double click. */
  tap(at, _how) {
    if (!this.clicks.again) this.press(at);
  }

  /** A place was chosen: Enter or Space, a screen reader, or by `tap`. */
  press(_at) {}

  /** The cards that show what was reached, when the hand is solved or won. @returns {HTMLElement[]} */
  reached() {
    return [];
  }

  /**
   * A place was clicked with the right button, or touched for long.
   * @param {HTMLElement} _at
   * @param {{held: boolean}} _how `held`: touched for long
   * @returns {boolean | void} false if that means nothing, and a long touch is still a tap
   */
  look(_at, _how) {}

  /** A button of the board that is no place was pressed. */
  command(_id) {}

  /**
   * A key was pressed, wherever the focus is.
   * @param {string} _key as `pressedKey` tells it
   * @param {KeyboardEvent} _event
   * @returns {boolean} whether it is one of the board's; the browser then does nothing else with it
   */
  key(_key, _event) {
    return false;
  }

  /** The pointer or the focus has come to an element, or with null has left. */
  aim(_element) {}
}
