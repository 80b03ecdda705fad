/** Draws a view of Target the Two, and announces its changes to screen readers. */

import { arrive } from "../cardlab/motion.js";
import { picture } from "../cardlab/pictures.js";
import { fill } from "../cardlab/text.js";
import { KEEPER_AT, PLACE_FOR, PLACE_OF, otherKeeper } from "./places.js";

const SLOWLY = 450; // ms for the partner's cards, so that they are noticed

export const addressOf = (card) => picture(`cards/${card}.svg`);

export class Scene {
  /** @param {import("./board.js").Board} board */
  constructor({ root, words, places, captions, onChange }, backUrl) {
    this.root = root;
    this.words = words;
    this.places = places;
    this.captions = captions;
    this.onChange = onChange;
    this.backUrl = backUrl;
    this.forget();
  }

  /** Forgets the last view, so that the next one is drawn without animation. */
  forget() {
    this.drawn = null; // the last drawn view
    this.mover = null; // the keeper that made the last move
  }

  /**
   * Draws a view.
   * @param {{over: boolean, away: string[]}} said with two players, the state besides the view
   */
  draw(view, said) {
    const before = this.drawn;
    this.drawn = view;
    if (view.turn === null) this.mover = before?.turn ?? this.mover;
    else this.mover = view.moves ? otherKeeper(view.turn) : null;
    /** @type {[string, HTMLElement][]} */
    const cards = Object.entries(this.places).map(([place, at]) => [place, at.querySelector(".card")]);
    const seenAt = Object.fromEntries(cards.map(([place, card]) => [place, card.getBoundingClientRect()]));
    for (const [place, at] of Object.entries(this.places)) this.#drawPlace(place, at);
    this.#drawRest();
    if (view.seat) this.drawTwo(said);
    if (!before) this.onChange([this.#happened(), this.#whoseTurn()].filter(Boolean).join(" "));
    else {
      for (const [place, card] of cards) this.#move(place, card, before, seenAt);
      this.#announce(before);
    }
  }

  /** Draws the parts for two players: the keepers' players, whose turn it is, the partner's move. */
  drawTwo(said) {
    const { captions, drawn: view, places, root, words } = this;
    this.said = said;
    root.dataset.turnOf = said.over || view.turn === null ? "nobody" : view.turn === view.seat ? "own" : "partner";
    captions.draw(view, this.mover, said);
    const byPartner = this.mover === otherKeeper(view.seat) && view.last !== "P";
    const moved = byPartner ? [PLACE_OF[this.mover], PLACE_FOR[view.last]] : [];
    for (const [place, at] of Object.entries(places)) at.toggleAttribute("data-moved", moved.includes(place));
    for (const [place, keeper] of Object.entries(KEEPER_AT)) {
      const own = keeper === view.seat;
      places[place].toggleAttribute("data-own", own);
      places[place].querySelector(".turn-tag").textContent = own ? words.tag_yours : words.tag_thinking;
      places[place].parentElement.querySelector(".keeper-player").textContent = captions.name(view, keeper);
    }
  }

  #drawPlace(place, at) {
    const { words, drawn: view } = this;
    const onTurn = PLACE_OF[view.turn] === place;
    drawCard(at.querySelector(".card"), view.cards[place], this.backUrl);
    at.toggleAttribute("data-turn", onTurn);
    at.toggleAttribute("data-can-look", view.may_look.includes(KEEPER_AT[place]));
    const own = view.seat ? PLACE_OF[view.seat] === place : false;
    at.tabIndex = (onTurn && (own || !view.seat)) || !(place in KEEPER_AT) ? 0 : -1;
    let label = words.place_and_card;
    if (onTurn) label = view.seat ? words.place_thinking : words.place_your_turn;
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

  /** Animates a card from the other end of its exchange, or from where it was dropped. */
  #move(place, card, before, seenAt) {
    if (this.places[place].hasAttribute("data-lifted")) return;
    const { drawn: view } = this;
    const origin = cameFrom(place, before, view);
    const [old, now] = [before.cards[origin], view.cards[place]];
    const oneStep = Math.abs(view.moves - before.moves) <= 1;
    const turns = oneStep && (old === null) !== (now === null);
    const oldFace = turns && (old === null ? this.backUrl : addressOf(old));
    const [from, to] = [seenAt[origin], this.places[place].getBoundingClientRect()];
    if (!turns && Math.hypot(from.left - to.left, from.top - to.top) <= 1) return;
    const ofPartner = view.seat && view.moves > before.moves && this.mover !== view.seat;
    arrive(card, from, oldFace, ofPartner ? SLOWLY : undefined);
  }

  /** Announces the move, the cards that it revealed or moved, and whose turn it is. */
  #announce(before) {
    const { words, drawn: view } = this;
    const said = [];
    if (view.moves === before.moves + 1) {
      said.push(this.#happened() || (view.last === "P" ? words.passed : fill(words.played, { place: words[`place_${PLACE_FOR[view.last]}`] })));
    }
    for (const [place, card] of Object.entries(view.cards)) {
      if (!card || card === before.cards[place]) continue;
      said.push(fill(words.now_there, { place: words[`place_${place}`], card: this.#name(card) }));
    }
    if (view.moves !== before.moves) said.push(this.#whoseTurn());
    this.onChange(said.join(" ").trim());
  }

  #happened() {
    return this.drawn.seat ? this.captions.happened(this.drawn, this.mover) : "";
  }

  #whoseTurn() {
    const { words, drawn: view } = this;
    if (view.seat) return this.captions.turn(view, this.said);
    return view.turn ? fill(words[`turn_${view.turn}`], { left: view.left }) : "";
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

/** The previous place of the card that is at `place` now, after a move or after one that is taken back. */
function cameFrom(place, before, view) {
  const [{ turn }, { last }] = view.moves > before.moves ? [before, view] : [view, before];
  if (Math.abs(view.moves - before.moves) !== 1 || !(last in PLACE_FOR)) return place;
  const ends = [PLACE_OF[turn], PLACE_FOR[last]];
  return ends.includes(place) ? ends.find((end) => end !== place) : place;
}
