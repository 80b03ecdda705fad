/** The board of Target the Two: how a view is drawn, and what gestures and keys mean. */

import { BaseBoard } from "../cardlab/board.js";
import { arrive } from "../cardlab/motion.js";
import { picture } from "../cardlab/pictures.js";
import { fill } from "../cardlab/text.js";

const PACK = ["2H", "3H", "4H", "2C", "3C", "4C"];
const KEEPER_AT = { Ck: "ck", Nk: "nk" };
const PLACE_OF = { ck: "Ck", nk: "Nk" };
const MOVE_TO = { UP: "U", C: "C", N: "N", T: "T" };
const PLACE_FOR = { U: "UP", C: "C", N: "N", T: "T" };

const addressOf = (card) => picture(`cards/${card}.svg`);

export class Board extends BaseBoard {
  // Loaded ahead so that a card that turns up is there at once. All six, always: that tells nobody anything.
  static pack = PACK.map((card) => Object.assign(new Image(), { src: addressOf(card) }));

  static fromSettings({ CardsBackFile: back }) {
    return { back_url: picture(`backs/${back.includes(".") ? back : `${back}.svg`}`) };
  }

  /**
   * @param {HTMLElement} root the board of `_templates/ttt/Board.html`
   * @param {object} page what every board is made with, and
   * @param {string} page.back_url address of the card back
   */
  constructor(root, { back_url: backUrl, ...page }) {
    super(root, page);
    this.backUrl = backUrl;
    this.places = Object.fromEntries([...root.querySelectorAll("[data-place]")].map((at) => [at.dataset.place, at]));
  }

  draw(before) {
    const { view } = this;
    if (before && before.moves !== view.moves) this.gestures.cancel();
    const cards = Object.entries(this.places).map(([place, at]) => [place, at.querySelector(".card")]);
    const seenAt = Object.fromEntries(cards.map(([place, card]) => [place, card.getBoundingClientRect()]));
    for (const [place, at] of Object.entries(this.places)) this.#drawPlace(place, at);
    this.#drawRest();
    if (!before) this.onChange(this.#whoseTurn());
    else {
      for (const [place, card] of cards) this.#move(place, card, before, seenAt);
      this.#announce(before);
    }
  }

  #drawPlace(place, at) {
    const { words, view } = this;
    const onTurn = PLACE_OF[view.turn] === place;
    drawCard(at.querySelector(".card"), view.cards[place], this.backUrl);
    at.toggleAttribute("data-turn", onTurn);
    at.toggleAttribute("data-look", view.may_look.includes(KEEPER_AT[place]));
    at.tabIndex = onTurn || place in MOVE_TO ? 0 : -1;
    const label = onTurn ? words.place_on_turn : words.place_and_card;
    at.setAttribute("aria-label", fill(label, { place: words[`place_${place}`], card: this.#name(view.cards[place]) }));
  }

  #drawRest() {
    const { root, words, view } = this;
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
    const origin = cameFrom(place, before, this.view);
    const [old, now] = [before.cards[origin], this.view.cards[place]];
    const oneStep = [0, 1].includes(this.view.moves - before.moves);
    const turns = oneStep && (old === null) !== (now === null);
    const oldFace = turns && (old === null ? this.backUrl : addressOf(old));
    const [from, to] = [seenAt[origin], this.places[place].getBoundingClientRect()];
    if (turns || Math.hypot(from.left - to.left, from.top - to.top) > 1) arrive(card, from, oldFace);
  }

  /** Say in words what is new: the move, the cards that it brought to sight or to another place, whose turn it is. */
  #announce(before) {
    const { words, view } = this;
    const said = [];
    if (view.moves === before.moves + 1) {
      said.push(view.last === "P" ? words.passed : fill(words.played, { move: view.last }));
    }
    for (const [place, card] of Object.entries(view.cards)) {
      if (!card || card === before.cards[place]) continue;
      said.push(fill(words.now_there, { place: words[`place_${place}`], card: this.#name(card) }));
    }
    if (view.moves !== before.moves) said.push(this.#whoseTurn());
    this.onChange(said.join(" ").trim());
  }

  #whoseTurn() {
    const { words, view } = this;
    return view.turn ? fill(words.turn, { keeper: PLACE_OF[view.turn], left: view.left }) : "";
  }

  reached() {
    return [this.places.T, this.root.querySelector("#goal")].map((at) => at.querySelector(".card"));
  }

  // What gestures and keys mean.

  mayLift(at) {
    const { place } = at.dataset;
    const refusal = place in KEEPER_AT ? this.#whyKeeperStays(place) : "";
    if (refusal) this.onNote(refusal);
    return !refusal;
  }

  lift(at) {
    this.onTrace(`pick ${at.dataset.place.toLowerCase()}`);
  }

  #whyKeeperStays(place) {
    const keeper = PLACE_OF[this.view.turn];
    if (place !== keeper) return fill(this.words.other_keeper, { keeper });
    return this.view.drag_keepers ? "" : fill(this.words.drag_onto_keeper, { keeper });
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
    if (place in MOVE_TO) this.act(MOVE_TO[place]);
    else if (this.view.cards[place] === null) this.#look(KEEPER_AT[place]);
    else this.onNote(this.#whyKeeperStays(place) || this.words.how_to_keeper);
  }

  look({ dataset: { place } }) {
    if (place in KEEPER_AT) this.#look(KEEPER_AT[place]);
  }

  #look(keeper) {
    if (!this.live) return;
    if (this.view.may_look.includes(keeper)) this.act(`look ${keeper}`);
    else if (this.view.cards[PLACE_OF[keeper]] === null) this.onNote(this.words.no_look);
  }

  /** The one button is Pass. */
  command() {
    this.act("P");
  }

  key(key, { shiftKey }) {
    if (!this.live || !/^[UCNTPV]$/.test(key)) return false;
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

const otherKeeper = (keeper) => (keeper === "ck" ? "nk" : "ck");
