/**
 * The board of Target the Two: draws a view, and turns what hands and keys do into actions.
 *
 * It knows what the view says and nothing more; whether a move into Target is allowed only the server can
 * tell. Drawing is idempotent: every state draws the whole board, motion is only how the cards get there.
 */

import { listen } from "../cardlab/gestures.js";
import { pressedKey } from "../cardlab/keys.js";
import { arrive } from "../cardlab/motion.js";
import { fill } from "../cardlab/page.js";
import { picture } from "../cardlab/pictures.js";

const PACK = ["2H", "3H", "4H", "2C", "3C", "4C"];
const KEEPER_AT = { Ck: "ck", Nk: "nk" };
const PLACE_OF = { ck: "Ck", nk: "Nk" };
const MOVE_TO = { UP: "U", C: "C", N: "N", T: "T" };
const PLACE_FOR = { U: "UP", C: "C", N: "N", T: "T" };

const addressOf = (card) => picture(`cards/${card}.svg`);

export class Board {
  // Loaded ahead so that a card that turns up is there at once. All six, always: that tells nobody anything.
  static pack = PACK.map((card) => Object.assign(new Image(), { src: addressOf(card) }));

  /**
   * @param {HTMLElement} root the board of `ttt_solo_app/Board.html`
   * @param {object} table
   * @param {Record<string, string>} table.words the sentences a participant reads
   * @param {string} table.backUrl address of the card back
   * @param {(action: string) => boolean} table.onAction false if another action is still on its way
   * @param {(trace: string) => void} table.onTrace pick-ups
   * @param {(sentence: string) => void} table.onNote why a drop or click was no move
   * @param {(sentence: string) => void} table.onChange what changed, for those who cannot see it
   */
  constructor(root, { words, backUrl, onAction, onTrace, onNote, onChange }) {
    Object.assign(this, { root, words, backUrl, onAction, onTrace, onNote, onChange });
    this.view = null;
    this.places = Object.fromEntries([...root.querySelectorAll("[data-place]")].map((at) => [at.dataset.place, at]));
    this.pass = root.querySelector("#pass");
    this.gestures = listen(root, {
      places: "[data-place]",
      mayLift: (at) => this.#mayLift(at.dataset.place),
      onLift: (at) => this.onTrace(`pick ${at.dataset.place.toLowerCase()}`),
      onDrop: (from, to) => this.#drop(from.dataset.place, to?.dataset.place),
      onTap: (at) => this.#tap(at.dataset.place),
      onLook: (at) => at.dataset.place in KEEPER_AT && this.#look(KEEPER_AT[at.dataset.place]),
    });
    root.addEventListener("click", (event) => this.#click(event));
    document.addEventListener("keydown", (event) => this.#key(event));
    this.setLive(false);
  }

  /** Whether the participant can play: connected, and the hand not over. */
  setLive(live) {
    this.live = live;
    this.root.classList.toggle("inert", !live);
    this.root.setAttribute("aria-disabled", String(!live));
    if (!live) this.gestures.cancel();
  }

  /** Draw a view. */
  show(view) {
    const before = this.view;
    if (before && before.moves !== view.moves) this.gestures.cancel();
    const cards = Object.entries(this.places).map(([place, at]) => [place, at.querySelector(".card")]);
    const seenAt = Object.fromEntries(cards.map(([place, card]) => [place, card.getBoundingClientRect()]));
    this.view = view;
    for (const [place, at] of Object.entries(this.places)) this.#drawPlace(place, at);
    this.#drawRest();
    if (!before) this.onChange(this.#whoseTurn());
    else {
      for (const [place, card] of cards) this.#move(place, card, before, seenAt);
      this.#tell(before);
    }
  }

  /** Draw the newest view again: a card dropped in vain goes back. */
  redraw() {
    if (this.view) this.show(this.view);
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

  /** Say in words what is new. */
  #tell(before) {
    const { words, view } = this;
    if (view.moves === before.moves + 1) {
      const what = view.last === "P" ? words.passed : fill(words.played, { move: view.last });
      this.onChange(`${what} ${this.#whoseTurn()}`);
      return;
    }
    const turnedUp = Object.keys(KEEPER_AT).find((place) => view.cards[place] && !before.cards[place]);
    if (turnedUp) {
      const card = this.#name(view.cards[turnedUp]);
      this.onChange(fill(words.place_and_card, { place: words[`place_${turnedUp}`], card }));
    }
  }

  #whoseTurn() {
    const { words, view } = this;
    return view.turn ? fill(words.turn, { keeper: PLACE_OF[view.turn], left: view.left }) : "";
  }

  // What hands do.

  #mayLift(place) {
    if (!this.live) return false;
    const refusal = place in KEEPER_AT ? this.#whyKeeperStays(place) : "";
    if (refusal) this.onNote(refusal);
    return !refusal;
  }

  #whyKeeperStays(place) {
    const keeper = PLACE_OF[this.view.turn];
    if (place !== keeper) return fill(this.words.other_keeper, { keeper });
    return this.view.drag_keepers ? "" : fill(this.words.drag_onto_keeper, { keeper });
  }

  #drop(from, to) {
    const keeper = PLACE_OF[this.view.turn];
    const partner = from === keeper ? to : from;
    if (to && this.live && (from === keeper || to === keeper) && partner in MOVE_TO) {
      if (this.#act(MOVE_TO[partner])) return; // the card waits where it was dropped for the answer
    } else if (to && this.live) this.onNote(this.#whyNoMove(from, to, keeper));
    this.#back(from);
  }

  #whyNoMove(from, to, keeper) {
    if (from in KEEPER_AT && to in KEEPER_AT) return this.words.keepers_never;
    const sentence = to in KEEPER_AT ? this.words.other_keeper : this.words.needs_keeper;
    return fill(sentence, { keeper });
  }

  #back(place) {
    const card = this.places[place].querySelector(".card");
    arrive(card, card.getBoundingClientRect());
  }

  #tap(place) {
    if (!this.live) return;
    const keeper = PLACE_OF[this.view.turn];
    if (place in MOVE_TO) this.onNote(fill(this.words.how_to_exchange, { keeper, key: MOVE_TO[place] }));
    else if (this.view.cards[place] === null) this.#look(KEEPER_AT[place]);
    else this.onNote(this.#whyKeeperStays(place) || this.words.how_to_keeper);
  }

  #look(keeper) {
    if (!this.live) return;
    if (this.view.may_look.includes(keeper)) this.#act(`look ${keeper}`);
    else if (this.view.cards[PLACE_OF[keeper]] === null) this.onNote(this.words.no_look);
  }

  /** A mouse click on a place has been a tap already; what comes here without one is a key or a screen reader. */
  #click(event) {
    if (event.target.closest("#pass")) {
      if (event.detail <= 1) this.#act("P"); // the second click of a double click is no second pass
      return;
    }
    const place = event.target.closest("[data-place]")?.dataset.place;
    if (!place || event.detail > 0 || !this.live) return;
    if (place in MOVE_TO) this.#act(MOVE_TO[place]);
    else this.#tap(place);
  }

  #key(event) {
    const key = pressedKey(event);
    if (!this.live || !/^[UCNTPV]$/.test(key)) return;
    event.preventDefault();
    if (key !== "V") this.#act(key);
    else this.#look(event.shiftKey ? otherKeeper(this.view.turn) : this.view.turn);
  }

  #act(action) {
    if (!this.live) return false;
    const sent = this.onAction(action);
    if (!sent) this.onNote(this.words.one_moment);
    return sent;
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
