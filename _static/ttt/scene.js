/** Draws a view of Target the Two, and announces its changes to screen readers. */

import { arrive } from "../cardlab/motion.js";
import { picture } from "../cardlab/pictures.js";
import { fill } from "../cardlab/text.js";
import { KEEPER_AT, PLACE_FOR, PLACE_OF, otherKeeper } from "./places.js";

const PARTNER_MOVE_MS = 450; // ms for the partner's cards, so that they are noticed

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
    this.forgetView();
  }

  /** Forgets the last view, so that the next one is drawn without animation. */
  forgetView() {
    this.drawn = null; // the last drawn view
    this.mover = null; // the keeper that made the last move
  }

  /**
   * Draws a view.
   * @param {{over: boolean, away: string[]}} status with two players, the state besides the view
   */
  draw(view, status) {
    const before = this.drawn;
    this.drawn = view;
    if (view.turn === null) this.mover = before?.turn ?? this.mover;
    else this.mover = view.moves ? otherKeeper(view.turn) : null;
    /** @type {[string, HTMLElement][]} */
    const cards = Object.entries(this.places).map(([place, at]) => [place, at.querySelector(".card")]);
    const oldBoxes = Object.fromEntries(cards.map(([place, card]) => [place, card.getBoundingClientRect()]));
    for (const [place, at] of Object.entries(this.places)) this.#drawPlace(place, at);
    this.#drawRest();
    if (view.seat) this.drawTwo(status);
    if (!before) this.onChange([this.#lastMoveText(), this.#turnText()].filter(Boolean).join(" "));
    else {
      for (const [place, card] of cards) this.#move(place, card, before, oldBoxes);
      this.#announce(before);
    }
  }

  /** Draws the parts for two players: the keepers' players, whose turn it is, the partner's move. */
  drawTwo(status) {
    const { captions, drawn: view, places, root, words } = this;
    this.status = status;
    root.dataset.turnOf = status.over || view.turn === null ? "nobody" : view.turn === view.seat ? "own" : "partner";
    captions.draw(view, this.mover, status);
    const byPartner = this.mover === otherKeeper(view.seat) && view.last !== "P";
    const moved = byPartner ? [PLACE_OF[this.mover], PLACE_FOR[view.last]] : [];
    for (const [place, at] of Object.entries(places)) at.toggleAttribute("data-moved", moved.includes(place));
    for (const [place, keeper] of Object.entries(KEEPER_AT)) {
      const isOwn = keeper === view.seat;
      places[place].toggleAttribute("data-own", isOwn);
      places[place].querySelector(".turn-tag").textContent = isOwn ? words.tag_yours : words.tag_thinking;
      places[place].parentElement.querySelector(".keeper-player").textContent = captions.playerName(view, keeper);
    }
  }

  #drawPlace(place, at) {
    const { words, drawn: view } = this;
    const onTurn = PLACE_OF[view.turn] === place;
    drawCard(at.querySelector(".card"), view.cards[place], this.backUrl);
    at.toggleAttribute("data-turn", onTurn);
    at.toggleAttribute("data-can-look", view.may_look.includes(KEEPER_AT[place]));
    const isOwn = view.seat ? PLACE_OF[view.seat] === place : false;
    at.tabIndex = (onTurn && (isOwn || !view.seat)) || !(place in KEEPER_AT) ? 0 : -1;
    let label = words.place_and_card;
    if (onTurn) label = view.seat ? words.place_thinking : words.place_your_turn;
    if (isOwn) label = onTurn ? words.place_your_turn : words.place_yours;
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
  #move(place, card, before, oldBoxes) {
    if (this.places[place].hasAttribute("data-lifted")) return;
    const { drawn: view } = this;
    const origin = previousPlaceOf(place, before, view);
    const [oldCard, newCard] = [before.cards[origin], view.cards[place]];
    const isOneStep = Math.abs(view.moves - before.moves) <= 1;
    const turnsOver = isOneStep && (oldCard === null) !== (newCard === null);
    const oldFace = turnsOver && (oldCard === null ? this.backUrl : addressOf(oldCard));
    const [from, to] = [oldBoxes[origin], this.places[place].getBoundingClientRect()];
    if (!turnsOver && Math.hypot(from.left - to.left, from.top - to.top) <= 1) return;
    const isPartnersMove = view.seat && view.moves > before.moves && this.mover !== view.seat;
    arrive(card, from, oldFace, isPartnersMove ? PARTNER_MOVE_MS : undefined);
  }

  /** Announces the move, the cards that it revealed or moved, and whose turn it is. */
  #announce(before) {
    const { words, drawn: view } = this;
    const sentences = [];
    if (view.moves === before.moves + 1) {
      sentences.push(this.#lastMoveText() || (view.last === "P" ? words.passed : fill(words.played, { place: words[`place_${PLACE_FOR[view.last]}`] })));
    }
    for (const [place, card] of Object.entries(view.cards)) {
      if (!card || card === before.cards[place]) continue;
      sentences.push(fill(words.now_there, { place: words[`place_${place}`], card: this.#name(card) }));
    }
    if (view.moves !== before.moves) sentences.push(this.#turnText());
    this.onChange(sentences.join(" ").trim());
  }

  #lastMoveText() {
    return this.drawn.seat ? this.captions.lastMoveText(this.drawn, this.mover) : "";
  }

  #turnText() {
    const { words, drawn: view } = this;
    if (view.seat) return this.captions.turnText(view, this.status);
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
function previousPlaceOf(place, before, view) {
  const [{ turn }, { last }] = view.moves > before.moves ? [before, view] : [view, before];
  if (Math.abs(view.moves - before.moves) !== 1 || !(last in PLACE_FOR)) return place;
  const ends = [PLACE_OF[turn], PLACE_FOR[last]];
  return ends.includes(place) ? ends.find((end) => end !== place) : place;
}
