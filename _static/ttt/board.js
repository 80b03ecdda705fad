/**
 * The board of Target the Two: how a view is drawn, and what gestures and keys mean.
 *
 * Where two play, the view has the seat whose keeper is one's own. A robot's move comes in one message with the move
 * before it: then the board is drawn as it stood between the two, and a moment later as it stands.
 */

import { BaseBoard } from "../cardlab/board.js";
import { Countdown } from "../cardlab/countdown.js";
import { arrive } from "../cardlab/motion.js";
import { picture } from "../cardlab/pictures.js";
import { fill } from "../cardlab/text.js";
import { Captions, partnerOf } from "./captions.js";

const PACK = ["2H", "3H", "4H", "2C", "3C", "4C"];
const KEEPER_AT = { Ck: "ck", Nk: "nk" };
const PLACE_OF = { ck: "Ck", nk: "Nk" };
const MOVE_TO = { UP: "U", C: "C", N: "N", T: "T" };
const PLACE_FOR = { U: "UP", C: "C", N: "N", T: "T" };
const SLOWLY = 450; // ms for the partner's cards, so that they are seen
const THINKING = 1000; // ms that a robot seems to need

const addressOf = (card) => picture(`cards/${card}.svg`);

export class Board extends BaseBoard {
  // Loaded ahead so that a card that turns up is there at once. All six, always: that tells nobody anything.
  static pack = PACK.map((card) => Object.assign(new Image(), { src: addressOf(card) }));

  static fromSettings({ CardsBackFile: back, robots }) {
    return {
      back_url: picture(`backs/${back.includes(".") ? back : `${back}.svg`}`),
      robots: Object.keys(robots ?? {}),
    };
  }

  /**
   * @param {HTMLElement} root the board of `_templates/ttt/Board.html`
   * @param {object} page what every board is made with, and
   * @param {string} page.back_url address of the card back
   * @param {string[]} [page.robots] the seats that robots play
   */
  constructor(root, { back_url: backUrl, robots = [], ...page }) {
    super(root, page);
    this.backUrl = backUrl;
    this.captions = new Captions(root, this.words, robots, this.onChange);
    this.mover = null; // the keeper that has made the last move
    this.drawn = null; // the view that is seen: the newest, or the one before a robot's answer
    this.said = { over: false, away: [] }; // what is known besides of a hand of two
    this.between = null; // while a robot's answer is waited for, what ends the wait
    this.rest = Promise.resolve();
    this.places = Object.fromEntries([...root.querySelectorAll("[data-place]")].map((at) => [at.dataset.place, at]));
  }

  /**
   * @param {object} before
   * @param {object} [state]
   * @param {string | null} [state.over]
   * @param {{ms: number | null, away: string[]}} [state.wait] where two play
   * @param {boolean} [state.atOnce] whether nothing is to be shown but the newest view
   */
  draw(before, { over = null, wait, atOnce = false } = {}) {
    const { view } = this;
    if (before && before.moves !== view.moves) this.gestures.cancel();
    if (view.seat) this.#drawOthers(over, wait, before === view);
    if (atOnce) this.between?.();
    if (this.between) return; // the newest is drawn at the end of the wait
    const between = atOnce ? null : betweenTwo(this.drawn, view);
    if (between) this.rest = this.#drawBoth(between);
    else this.#drawView(view);
  }

  /** What a message says of a hand of two beside the view; nothing, if the view is drawn again. */
  #drawOthers(over, wait, again) {
    if (again) return;
    this.said = { over: over !== null, away: wait?.away ?? [] };
    this.countdown ??= new Countdown((time, seconds) => this.captions.drawDeadline(this.view, time, seconds));
    this.countdown.set(this.said.over ? null : (wait?.ms ?? null));
  }

  /** Draw a robot's answer after the move that it answers. */
  async #drawBoth(between) {
    this.#drawView(between);
    if (!document.hidden) {
      await new Promise((done) => {
        this.between = done;
        setTimeout(done, THINKING);
      });
      this.between = null;
    }
    this.#drawView(this.view);
  }

  atRest() {
    return this.rest;
  }

  async resume(_views) {
    this.between?.();
    await this.rest;
    this.drawn = null;
  }

  #drawView(view) {
    const before = this.drawn;
    this.drawn = view;
    if (view.turn === null) this.mover = before?.turn ?? this.mover;
    else this.mover = view.moves ? otherKeeper(view.turn) : null;
    const cards = Object.entries(this.places).map(([place, at]) => [place, at.querySelector(".card")]);
    const seenAt = Object.fromEntries(cards.map(([place, card]) => [place, card.getBoundingClientRect()]));
    for (const [place, at] of Object.entries(this.places)) this.#drawPlace(place, at);
    this.#drawRest();
    if (view.seat) this.#drawTwo();
    if (!before) this.onChange(this.#whoseTurn());
    else {
      for (const [place, card] of cards) this.#move(place, card, before, seenAt);
      this.#announce(before);
    }
  }

  /** What is seen besides where two play: who has which keeper, whose turn it is, what the partner has done. */
  #drawTwo() {
    const { captions, drawn: view, places, root, said, words } = this;
    root.dataset.whose = said.over ? "nobody" : view.turn === view.seat ? "own" : "partner";
    captions.draw(view, this.mover, said);
    const byPartner = this.mover === partnerOf(view) && view.last !== "P";
    const moved = byPartner ? [PLACE_OF[this.mover], PLACE_FOR[view.last]] : [];
    for (const [place, at] of Object.entries(places)) at.toggleAttribute("data-moved", moved.includes(place));
    for (const [place, keeper] of Object.entries(KEEPER_AT)) {
      const own = keeper === view.seat;
      places[place].toggleAttribute("data-own", own);
      places[place].querySelector(".turn-tag").textContent = own ? words.tag_yours : words.tag_to_move;
      places[place].parentElement.querySelector(".has-it").textContent = captions.name(view, keeper);
    }
  }

  #drawPlace(place, at) {
    const { words, drawn: view } = this;
    const onTurn = PLACE_OF[view.turn] === place;
    drawCard(at.querySelector(".card"), view.cards[place], this.backUrl);
    at.toggleAttribute("data-turn", onTurn);
    at.toggleAttribute("data-look", view.may_look.includes(KEEPER_AT[place]));
    const own = view.seat ? PLACE_OF[view.seat] === place : false;
    at.tabIndex = (onTurn && (own || !view.seat)) || place in MOVE_TO ? 0 : -1;
    let label = onTurn ? words.place_on_turn : words.place_and_card;
    if (own) label = onTurn ? words.place_your_turn : words.place_yours;
    at.setAttribute("aria-label", fill(label, { place: words[`place_${place}`], card: this.#name(view.cards[place]) }));
  }

  #drawRest() {
    const { root, words, drawn: view } = this;
    const goal = root.querySelector("#goal");
    drawCard(goal.querySelector(".card"), view.goal, this.backUrl);
    goal.setAttribute("aria-label", fill(words.place_and_card, { place: words.goal, card: this.#name(view.goal) }));
    root.querySelector("#moves-made").textContent = view.moves;
    root.querySelector("#moves-left").textContent = view.left;
    root.toggleAttribute("data-keepers-stay", !view.drag_keepers);
  }

  #name(card) {
    if (card === null) return this.words.face_down;
    return fill(this.words.card, { rank: card.slice(0, -1), suit: this.words[`suit_${card.slice(-1)}`] });
  }

  /** Let the card come from where it was seen: the other end of the exchange, or a finger's drop. */
  #move(place, card, before, seenAt) {
    if (this.places[place].hasAttribute("data-lifted")) return;
    const { drawn: view } = this;
    const origin = cameFrom(place, before, view);
    const [old, now] = [before.cards[origin], view.cards[place]];
    const oneStep = [0, 1].includes(view.moves - before.moves);
    const turns = oneStep && (old === null) !== (now === null);
    const oldFace = turns && (old === null ? this.backUrl : addressOf(old));
    const [from, to] = [seenAt[origin], this.places[place].getBoundingClientRect()];
    if (!turns && Math.hypot(from.left - to.left, from.top - to.top) <= 1) return;
    const ofPartner = view.seat && view.moves > before.moves && this.mover !== view.seat;
    arrive(card, from, oldFace, ofPartner ? SLOWLY : undefined);
  }

  /** Say in words what is new: the move, the cards that it brought to sight or to another place, whose turn it is. */
  #announce(before) {
    const { words, drawn: view } = this;
    const said = [];
    if (view.moves === before.moves + 1) {
      const byPartner = view.seat && this.captions.happened(view, this.mover);
      said.push(byPartner || (view.last === "P" ? words.passed : fill(words.played, { move: view.last })));
    }
    for (const [place, card] of Object.entries(view.cards)) {
      if (!card || card === before.cards[place]) continue;
      said.push(fill(words.now_there, { place: words[`place_${place}`], card: this.#name(card) }));
    }
    if (view.moves !== before.moves) said.push(this.#whoseTurn());
    this.onChange(said.join(" ").trim());
  }

  #whoseTurn() {
    const { words, drawn: view } = this;
    if (view.seat) return this.captions.turn(view, this.said);
    return view.turn ? fill(words.turn, { keeper: PLACE_OF[view.turn], left: view.left }) : "";
  }

  reached() {
    return [this.places.T, this.root.querySelector("#goal")].map((at) => at.querySelector(".card"));
  }

  // What gestures and keys mean.

  /** Whether nothing can be moved now; if so it is said why. */
  #mustWait() {
    if (this.between) this.between(); // who does something has seen enough
    else if (!this.view.seat || this.view.turn === this.view.seat) return false;
    else this.onNote(this.captions.whyWait(this.view));
    return true;
  }

  mayLift(at) {
    if (this.#mustWait()) return false;
    const { place } = at.dataset;
    const refusal = place in KEEPER_AT ? this.#whyKeeperStays(place) : "";
    if (refusal) this.onNote(refusal);
    return !refusal;
  }

  lift(at) {
    this.onTrace(`pick ${at.dataset.place.toLowerCase()}`);
  }

  #whyKeeperStays(place) {
    const { view, words } = this;
    const keeper = PLACE_OF[view.turn];
    if (place !== keeper) return fill(view.seat ? words.not_your_keeper : words.other_keeper, { keeper });
    return view.drag_keepers ? "" : fill(words.drag_onto_keeper, { keeper });
  }

  targets({ dataset: { place } }) {
    const partners = place in KEEPER_AT ? Object.keys(MOVE_TO) : [PLACE_OF[this.view.turn]];
    return partners.map((partner) => this.places[partner]);
  }

  placeOf(action) {
    return this.places[PLACE_FOR[action]] ?? null;
  }

  drop({ dataset: { place: from } }, to) {
    if (!to) return false;
    const [onto, keeper] = [to.dataset.place, PLACE_OF[this.view.turn]];
    const partner = from === keeper ? onto : from;
    if ((from === keeper || onto === keeper) && partner in MOVE_TO) return this.act(MOVE_TO[partner]);
    this.onNote(this.#whyNoMove(from, onto, keeper));
    return false;
  }

  #whyNoMove(from, to, keeper) {
    if (from in KEEPER_AT && to in KEEPER_AT) return this.words.keepers_never;
    const sentence = to in KEEPER_AT ? this.words.other_keeper : this.words.needs_keeper;
    return fill(sentence, { keeper });
  }

  press({ dataset: { place } }) {
    if (this.#mustWait()) return;
    if (place in MOVE_TO) this.act(MOVE_TO[place]);
    else if (this.view.cards[place] === null) this.#look(KEEPER_AT[place]);
    else this.onNote(this.#whyKeeperStays(place) || this.words.how_to_keeper);
  }

  look({ dataset: { place } }) {
    if (place in KEEPER_AT) this.#look(KEEPER_AT[place]);
  }

  #look(keeper) {
    if (!this.live || this.#mustWait()) return;
    const { view, words } = this;
    if (view.may_look.includes(keeper)) this.act(`look ${keeper}`);
    else if (view.cards[PLACE_OF[keeper]] === null) this.onNote(view.seat ? words.no_look_at_other : words.no_look);
  }

  /** The one button is Pass. */
  command() {
    if (this.live && !this.#mustWait()) this.act("P");
  }

  key(key, { shiftKey }) {
    if (!this.live || !/^[UCNTPV]$/.test(key)) return false;
    if (this.#mustWait()) return true;
    if (key !== "V") this.act(key);
    else this.#look(shiftKey ? otherKeeper(this.view.turn) : this.view.turn);
    return true;
  }
}

function drawCard(element, card, backUrl) {
  const face = card ? addressOf(card) : backUrl;
  const image = element.querySelector("img");
  if (image.getAttribute("src") !== face) image.src = face;
  element.classList.remove("undealt");
  if (card) element.dataset.card = card;
  else delete element.dataset.card;
}

/** The place where the card that lies at `place` now lay before the last move. */
function cameFrom(place, before, view) {
  if (view.moves !== before.moves + 1 || !(view.last in PLACE_FOR)) return place;
  const ends = [PLACE_OF[before.turn], PLACE_FOR[view.last]];
  return ends.includes(place) ? ends.find((end) => end !== place) : place;
}

/**
 * The view before a robot's move that has come with the move before it, or with the deal; null if there is none to be
 * shown.
 */
function betweenTwo(drawn, view) {
  const known = drawn?.played ?? "";
  const fresh = view.played?.length - known.length;
  if (!view.before_last || !view.played.startsWith(known) || fresh !== (drawn ? 2 : 1)) return null;
  const partner = partnerOf(view);
  const before = { cards: view.before_last, moves: view.moves - 1, left: view.left + 1, before_last: null };
  const played = { played: view.played.slice(0, -1), last: view.played.at(-2) ?? null };
  return { ...view, ...before, ...played, turn: partner, waiting_for: [partner], may_look: [] };
}

const otherKeeper = (keeper) => (keeper === "ck" ? "nk" : "ck");
