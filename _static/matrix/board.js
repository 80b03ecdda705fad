/**
 * The board of the matrix card game: draws a view, tells what a turn has brought, and turns what hands and keys
 * do into actions.
 *
 * It knows what the view says and nothing more. What is drawn is a scene, made from a view. A turn is told in a
 * few scenes of its own, and the newest view is drawn at their end. A card goes, by its name, from where it was
 * seen to where the new scene has it.
 */

import { Clicks } from "../cardlab/clicks.js";
import { Countdown } from "../cardlab/countdown.js";
import { listen } from "../cardlab/gestures.js";
import { pressedKey } from "../cardlab/keys.js";
import { make } from "../cardlab/make.js";
import { arrive, fly, flyAway, pose, settle } from "../cardlab/motion.js";
import { fill } from "../cardlab/page.js";
import { HAND_SIZE, SIDES, build } from "./build.js";
import { back, columnIcon, face, signed } from "./card.js";
import { Sentences, inOrder } from "./sentences.js";
import { axisOf, rotationBetween, turnsBetween } from "./turns.js";

// Which column or row of the table a side's own left and right column are.
const LANES = {
  near: { left: "left", right: "right" },
  far: { left: "right", right: "left" },
  left: { left: "far", right: "near" },
  right: { left: "near", right: "far" },
};

// ms: both cards lie open; cards go to the piles, then into the cross; a cross is marked, then turned.
const PACE = { open: 900, move: 320, mark: 250, turn: 340 };
const QUICK = { open: 620, move: 220 }; // two turns in one step
const HURRY = 10; // seconds

/** A scene: `hand` by place, null where it is empty; `slots` of a seat: the card it has played, null if face down. */
export class Board {
  /**
   * @param {HTMLElement} root the board of `matrix_game_app/Board.html`
   * @param {object} table
   * @param {Record<string, string>} table.words the sentences a participant reads
   * @param {string[]} [table.robots] the seats that robots play
   * @param {(action: string) => boolean} table.onAction false if another action is still on its way
   * @param {(sentence: string) => void} table.onNote why something was no move
   * @param {(sentence: string) => void} table.onChange what changed, for those who cannot see it
   */
  constructor(root, { words, robots = [], onAction, onNote, onChange }) {
    Object.assign(this, { root, words, onAction, onNote, onChange });
    this.sentences = new Sentences(words, robots);
    this.parts = build(root, words);
    this.view = null; // the newest
    this.drawn = null; // the one that was drawn last
    this.scene = null; // what is drawn now
    this.state = { over: null, away: [] };
    this.hand = Array(HAND_SIZE).fill(null); // a card keeps its place; one that is drawn goes to an empty place
    this.faces = {};
    this.turns = []; // the last turn; with four players that of either pair
    this.telling = null;
    this.rest = Promise.resolve();
    this.clicks = new Clicks(root);
    this.aimed = null;
    this.hurried = false;
    this.countdown = new Countdown((time, seconds) => this.#drawDeadline(time, seconds));
    this.#listen();
    this.setLive(false);
  }

  /** Whether the participant can play: connected, and the game not over. */
  setLive(live) {
    this.live = live;
    this.root.classList.toggle("inert", !live);
    this.root.setAttribute("aria-disabled", String(!live));
    if (!live) this.gestures.cancel();
  }

  /**
   * Draw a view; turns that it discloses are told first.
   * @param {object} view of `games.matrix.rules.view`
   * @param {object} [state] of the same message
   * @param {string | null} [state.over]
   * @param {{ms: number | null, away: string[]}} [state.wait]
   * @param {boolean} [state.told] whether the turns are known, so that the view is drawn at once
   */
  show(view, { over = null, wait, told = false } = {}) {
    // A drag that began in one turn must not choose a card in the next.
    if (this.view && (this.view.turn !== view.turn || this.view.rotator !== view.rotator)) this.gestures.cancel();
    this.view = view;
    this.state = { over, away: wait?.away ?? [] };
    Object.assign(this.faces, view.faces);
    this.countdown.set(over === null ? (wait?.ms ?? null) : null);
    if (told) this.telling?.skip();
    if (this.telling) return;
    if (!told && this.#news().length) this.rest = this.#tell();
    else this.#drawView(view);
  }

  /** Draw the newest view again: a card dropped in vain goes back. */
  redraw() {
    if (this.view && !this.telling) this.#drawView(this.view);
  }

  /**
   * Begin anew after these views, which are not drawn: where a card lies in the hand follows from all of them.
   * The next view is drawn at once.
   */
  async resume(views) {
    this.telling?.skip();
    await this.rest;
    Object.assign(this, { drawn: null, scene: null, hand: Array(HAND_SIZE).fill(null), turns: [] });
    for (const view of views) {
      Object.assign(this.faces, view.faces);
      this.#hold(view);
      if (view.last) this.#know(view.last, view);
    }
  }

  /** Resolved when all that has happened has been told. */
  atRest() {
    return this.rest;
  }

  // Telling what has happened.

  /** What is to be told before the newest view is drawn: a list of `{turn}` and `{rotation}`. */
  #news() {
    const { drawn, view } = this;
    const turns = drawn ? turnsBetween(drawn, view) : null;
    if (turns === null) this.turns = [];
    const rotation = drawn && rotationBetween(drawn, view);
    if (rotation && rotation[0] !== view.seat) return [{ rotation }];
    return (turns ?? []).map((turn) => ({ turn }));
  }

  async #tell() {
    this.telling = new Telling();
    for (let news = this.#news(); news.length; news = this.#news()) {
      const view = this.view;
      const pace = news.length > 1 ? { ...PACE, ...QUICK } : PACE;
      for (const { turn, rotation } of news) {
        if (turn) await this.#tellTurn(turn, pace);
        else await this.#tellRotation(...rotation, pace);
      }
      this.#drawView(view);
    }
    this.telling = null;
    this.#drawView(this.view);
  }

  async #tellTurn(turn, pace) {
    const { sentences, view } = this;
    const { cards, cell, collected } = turn;
    this.#remember(turn);
    this.#say(sentences.collected(view, turn, this.faces));
    this.onChange(sentences.played(view, turn, this.faces));
    this.hand = this.hand.map((card) => (Object.values(cards).includes(card) ? null : card));
    const pair = Object.keys(cards);
    const open = { slots: cards, selected: cell, hand: this.hand, pair, chosen: null, waiting: [], rotating: false };
    await this.#stage(open, pace.open);

    this.#collect(cell, collected, pace.move);
    const emptied = (cross) => (cross.cell === cell ? { ...cross, own: null, across: null } : cross);
    const taken = this.scene.crosses.map(emptied);
    const players = this.scene.players.map((player) => this.#richer(player, collected[player.seat]));
    await this.#stage({ crosses: taken, players }, pace.move);

    const laid = Object.fromEntries(pair.map((seat) => [axisOf(view, seat), cards[seat]]));
    const crosses = taken.map((cross) => (cross.cell === cell ? { ...cross, ...laid } : cross));
    await this.#stage({ crosses, slots: {} }, pace.move, pace.move);
    if (turn.rotation) await this.#tellRotation(turn.rotator, turn.rotation, pace);
  }

  async #tellRotation(seat, action, pace) {
    const sentence = this.sentences.rotated(this.view, seat, action);
    this.onChange(sentence);
    if (action === "keep") return;
    const selected = action.replace("rotate ", "");
    this.#say(sentence);
    await this.#stage({ selected, waiting: [] }, pace.mark);
    const turned = (cross) => (cross.cell === selected ? { ...cross, own: cross.across, across: cross.own } : cross);
    await this.#stage({ crosses: this.scene.crosses.map(turned) }, pace.turn, pace.turn);
  }

  /** Change the scene, and give it its time. */
  #stage(changes, ms, flight) {
    if (this.telling.skipped) return null;
    this.#paint({ ...this.scene, ...changes }, flight);
    return this.telling.pause(ms);
  }

  /** The cards of the cross go to the piles. */
  #collect(cell, collected, ms) {
    if (this.telling.skipped) return;
    const index = this.scene.crosses.findIndex((cross) => cross.cell === cell);
    for (const seat of Object.keys(collected)) {
      const { side } = this.scene.players.find((player) => player.seat === seat);
      flyAway(this.parts.crosses[index][axisOf(this.view, seat)], pose(this.parts.sides[side].pile), { ms });
    }
  }

  #richer(player, card) {
    if (!card) return player;
    return { ...player, score: player.score + this.faces[card].value, pile: player.pile + 1 };
  }

  #say(sentence) {
    this.telling.sentence = sentence;
    this.#drawStatus();
  }

  #remember(turn) {
    this.#know(turn, this.view);
    this.#drawTurns();
  }

  #know(turn, view) {
    const others = this.turns.filter((known) => known.turn !== turn.turn);
    this.turns = [...others, turn].slice(-view.players.length / 2);
  }

  /** Every card keeps its place in the hand; a drawn one goes to an empty place. */
  #hold(view) {
    const kept = this.hand.map((card) => (view.hand.includes(card) ? card : null));
    const fresh = view.hand.filter((card) => !kept.includes(card));
    this.hand = kept.map((card) => card ?? fresh.shift() ?? null);
  }

  // Drawing.

  #drawView(view) {
    const own = this.drawn && rotationBetween(this.drawn, view);
    if (own?.[0] === view.seat) this.onChange(this.sentences.rotated(view, ...own));
    this.drawn = view;
    this.#hold(view);
    if (view.last) this.#remember(view.last);
    else this.#drawTurns();
    this.#paint(this.#sceneOf(view), PACE.turn);
    this.#drawStatus();
  }

  #sceneOf(view) {
    const slots = {};
    if (view.chosen) slots[view.seat] = view.chosen;
    for (const seat of view.other_chosen ? chosenBy(view) : []) slots[seat] = null;
    return {
      ...view,
      hand: this.hand.map((card) => (card === view.chosen ? null : card)),
      slots,
      selected: null,
      waiting: this.state.over === null ? view.waiting_for : [],
      rotating: this.state.over === null && view.rotator === view.seat,
    };
  }

  #paint(scene, ms) {
    const lifted = this.parts.hand.findIndex(({ at }) => at.hasAttribute("data-lifted"));
    if (lifted >= 0 && scene.hand[lifted] !== this.scene?.hand[lifted]) this.gestures.cancel();
    const seen = this.#seen();
    this.scene = scene;
    this.root.dataset.players = scene.players.length;
    this.root.dataset.other = scene.players.length === 2 ? scene.players[1].side : "";
    this.#drawFacts();
    scene.crosses.forEach((_, index) => this.#drawCross(index));
    for (const side of SIDES) this.#drawSide(side);
    scene.hand.forEach((_, index) => this.#drawHandPlace(index));
    this.#drawAim();
    for (const card of this.root.querySelectorAll(".card[data-card], .card[data-down]")) this.#move(card, seen, ms);
  }

  /** Where the cards are seen now: by name, those face down by who played them. */
  #seen() {
    const cards = [...this.root.querySelectorAll(".card[data-card], .card[data-down]")];
    return new Map(cards.map((card) => [card.dataset.card ?? card.dataset.down, { card, from: pose(card) }]));
  }

  /** Let a card come from where it was seen; one that was not seen, from the stock or from who played it. */
  #move(card, seen, ms) {
    const known = seen.get(card.dataset.card ?? card.dataset.down);
    if (known?.card === card) {
      const lifted = card.parentElement.hasAttribute("data-lifted");
      if (card.style.transform && !lifted) arrive(card, card.getBoundingClientRect()); // dropped in vain
    } else if (known) fly(card, known.from, { ms });
    else if (this.drawn && seen.size) this.#enter(card, seen, ms);
  }

  #enter(card, seen, ms) {
    const { side, place } = card.parentElement.dataset;
    if (place?.startsWith("hand")) fly(card, pose(this.parts.stockCard), { ms, turnsUp: true });
    if (!side) return;
    const player = this.scene.players.find((each) => each.side === side);
    const faceDown = seen.get(`down ${player.seat}`);
    fly(card, faceDown?.from ?? pose(this.parts.sides[side].pile), { ms: PACE.mark, turnsUp: !card.dataset.down });
  }

  #drawFacts() {
    const { parts, scene, words } = this;
    parts.turn.textContent = fill(words.turn_of, { turn: scene.turn, of: scene.of });
    parts.stock.textContent = scene.stock;
    drawBack(parts.stockCard, scene.stock > 0);
    parts.keep.hidden = !scene.rotating;
    parts.tray.toggleAttribute("data-turn", scene.waiting.includes(scene.seat) && !scene.rotating);
    parts.tray.toggleAttribute("data-open", this.state.over === null && !this.sentences.whyNoCard(this.view));
  }

  #drawCross(index) {
    const { scene } = this;
    const cross = scene.crosses[index];
    const { place, own, across } = this.parts.crosses[index];
    this.#drawCard(own, cross.own);
    this.#drawCard(across, cross.across);
    place.dataset.cell = cross.cell;
    place.toggleAttribute("data-selected", cross.cell === scene.selected);
    place.toggleAttribute("data-turn", scene.rotating);
    place.tabIndex = scene.rotating ? 0 : -1;
    place.setAttribute("aria-label", this.#crossLabel(cross));
  }

  #crossLabel(cross) {
    const { scene, sentences, words } = this;
    if (!cross.own) return sentences.cell(scene, cross.cell);
    const pair = this.#byAxis();
    const worth = sentences.worth(scene, cross, pair, this.faces);
    if (!scene.rotating) return worth;
    const turned = sentences.worth(scene, { ...cross, own: cross.across, across: cross.own }, pair, this.faces);
    return `${worth}. ${fill(words.turn_it, { worth: turned })}`;
  }

  /** Who plays this turn: first the one whose cards lie as ours do. */
  #byAxis() {
    const { scene } = this;
    return ["own", "across"].map((axis) => scene.pair.find((seat) => axisOf(scene, seat) === axis));
  }

  /** What a cross brings, in two short pairs of name and points; as it would be if it were turned. */
  #drawWorth(index, turned) {
    const { faces, scene, sentences } = this;
    const { own, across } = scene.crosses[index];
    const cards = turned ? [across, own] : [own, across];
    const pairs = this.#byAxis().map((seat, axis) => {
      const points = cards[axis] ? pointsOf(faces[cards[axis]].value) : "";
      return make("span", { seat }, `${sentences.short(scene, seat)} `, points);
    });
    const { place, worth } = this.parts.crosses[index];
    worth.replaceChildren(...pairs);
    place.toggleAttribute("data-preview", turned);
  }

  #drawSide(side) {
    const { parts, scene, sentences, words } = this;
    const { plate, slots, tag, name, score, pile, count } = parts.sides[side];
    const player = scene.players.find((each) => each.side === side);
    for (const element of [plate, ...Object.values(slots).map(({ at }) => at)]) element.hidden = !player;
    if (!player) return;
    const { seat } = player;
    const played = scene.slots[seat];
    for (const slot of ["left", "right"]) {
      const here = Boolean(played) && this.faces[played].column === slot;
      this.#drawCard(slots[slot].card, here ? played : null);
      slots[slot].at.toggleAttribute("data-chosen", here && played === scene.chosen);
    }
    drawBack(slots.down.card, played === null);
    if (played === null) slots.down.card.dataset.down = `down ${seat}`;
    else delete slots.down.card.dataset.down;
    const waited = scene.waiting.includes(seat);
    plate.toggleAttribute("data-turn", waited && side !== "near");
    tag.textContent = this.#tag(seat, waited);
    plate.toggleAttribute("data-away", this.state.away.includes(seat));
    name.textContent = sentences.name(scene, seat);
    score.replaceChildren(pointsOf(player.score));
    drawBack(pile, player.pile > 0);
    const cards = { 0: words.cards_none, 1: words.cards_one }[player.pile] ?? words.cards_many;
    count.textContent = fill(cards, { count: player.pile });
  }

  /** The tag at a player's place: what they may do, or that they are not there. */
  #tag(seat, waited) {
    if (this.state.away.includes(seat)) return this.words.tag_away;
    if (waited) return this.scene.rotator ? this.words.tag_to_turn : this.words.tag_to_choose;
    return "";
  }

  #drawHandPlace(index) {
    const { at, card } = this.parts.hand[index];
    const name = this.scene.hand[index];
    this.#drawCard(card, name);
    at.tabIndex = name ? 0 : -1;
    const [number, { hand_card: taken, hand_place: empty }] = [index + 1, this.words];
    at.setAttribute(
      "aria-label",
      name ? fill(taken, { number, card: this.sentences.card(this.faces[name]) }) : fill(empty, { number }),
    );
  }

  #drawCard(element, name) {
    if ((element.dataset.card ?? null) === name) return;
    settle(element);
    element.classList.toggle("undealt", name === null);
    element.innerHTML = name ? face(name, this.faces[name]) : "";
    if (name) element.dataset.card = name;
    else delete element.dataset.card;
  }

  /** The columns and rows that played cards select, and what the pointer or the focus asks about. */
  #drawAim() {
    const { faces, parts, scene } = this;
    const place = this.aimed?.dataset.place ?? "";
    const card = place.startsWith("hand") ? this.aimed.querySelector(".card").dataset.card : null;
    const laneOf = ({ seat, side }) => scene.slots[seat] && LANES[side][faces[scene.slots[seat]].column];
    const lit = scene.players.map(laneOf);
    if (card) lit.push(faces[card].column);
    for (const lane of parts.lanes) lane.toggleAttribute("data-lit", lit.includes(lane.dataset.lane));
    parts.crosses.forEach((cross, index) => this.#drawWorth(index, scene.rotating && cross.place === this.aimed));
  }

  #drawStatus() {
    const { parts, sentences, state, telling, view } = this;
    const sentence = telling?.sentence || sentences.status(view, state);
    if (parts.status.textContent !== sentence) parts.status.textContent = sentence;
  }

  #drawDeadline(time, seconds) {
    const { parts, view } = this;
    parts.deadline.hidden = !time || !view.waiting_for.length;
    if (parts.deadline.hidden) return;
    parts.deadline.textContent = this.sentences.deadline(view, time);
    const hurry = seconds <= HURRY && view.waiting_for.includes(view.seat);
    parts.deadline.toggleAttribute("data-hurry", hurry);
    if (hurry && !this.hurried) this.onChange(fill(this.words.hurry, { seconds }));
    this.hurried = hurry;
  }

  /** The last turn in numbers, for those who did not watch. */
  #drawTurns() {
    this.parts.last.replaceChildren(...this.turns.map((turn) => this.#tableOf(turn)));
  }

  #tableOf(turn) {
    const { faces, sentences, view, words } = this;
    const cards = inOrder(view, turn.cards);
    const cell = (kind, ...content) => make(kind, {}, ...content);
    const row = (title, bySeat, withColumn) =>
      make(
        "tr",
        {},
        cell("th", title),
        ...inOrder(view, bySeat).map(([, card]) => {
          const points = cell("td", pointsOf(faces[card].value));
          if (withColumn) points.insertAdjacentHTML("beforeend", columnIcon(faces[card].column));
          return points;
        }),
      );
    const table = make(
      "table",
      {},
      cell("caption", fill(turn === this.turns.at(-1) ? words.last_turn : words.turn, { turn: turn.turn })),
      make("tr", {}, cell("td"), ...cards.map(([seat]) => cell("th", sentences.short(view, seat)))),
      row(words.row_played, turn.cards, true),
      row(words.row_collected, turn.collected, false),
    );
    const what = [fill(words.in_cell, { cell: sentences.cell(view, turn.cell) })];
    if (turn.rotation) what.push(sentences.rotated(view, turn.rotator, turn.rotation));
    return make("div", { turn: turn.turn }, table, ...what.map((sentence) => make("p", {}, sentence)));
  }

  // What hands do.

  #listen() {
    const { root } = this;
    this.gestures = listen(root, {
      places: "[data-place]",
      mayLift: (at) => this.#mayLift(at),
      onLift: (at) => this.#aim(at),
      onDrop: (from, to) => this.#drop(from, to),
      onTap: (at) => this.clicks.again || this.#tap(at),
      onLook: () => {},
    });
    root.addEventListener("click", (event) => this.#click(event));
    root.addEventListener("pointerover", (event) => this.#aim(event.target));
    root.addEventListener("pointerleave", () => this.#aim(null));
    root.addEventListener("focusin", (event) => this.#aim(event.target));
    root.addEventListener("focusout", () => this.#aim(null));
    document.addEventListener("keydown", (event) => this.#key(event));
  }

  #aim(element) {
    const place = element?.closest("[data-place]") ?? null;
    if (place === this.aimed || !this.scene) return;
    this.aimed = place;
    this.#drawAim();
  }

  #mayLift(at) {
    const card = this.#cardAt(at);
    if (!this.live || !card) return false;
    const refusal = this.sentences.whyNoCard(this.view, card);
    if (refusal) this.onNote(refusal);
    else this.telling?.skip();
    return !refusal;
  }

  #drop(from, to) {
    const card = this.#cardAt(from);
    const column = to?.dataset.column;
    if (this.live && card && column) {
      const own = this.faces[card].column;
      if (column !== own) this.onNote(fill(this.words.wrong_column, { column: this.words[`column_${own}`] }));
      else if (this.#act(`play ${card}`)) return; // the card waits where it was dropped for the answer
    }
    const element = from.querySelector(".card");
    arrive(element, element.getBoundingClientRect());
  }

  #tap(at) {
    if (!this.live) return;
    if (at.dataset.place.startsWith("hand")) this.#choose(at);
    else if (this.telling) this.telling.skip();
    else if (!at.matches(".cross")) this.onNote(this.sentences.whyNoCard(this.view) || this.words.how_to_choose);
    else if (this.scene.rotating) this.#act(`rotate ${at.dataset.cell}`);
    else this.onNote(this.sentences.whyNoTurn(this.view));
  }

  #choose(at) {
    const card = this.#cardAt(at);
    if (!card) return;
    const refusal = this.sentences.whyNoCard(this.view, card);
    if (!refusal) this.#act(`play ${card}`);
    else if (this.telling) this.telling.skip();
    else this.onNote(refusal);
  }

  #keep() {
    if (this.telling) this.telling.skip();
    else if (this.scene.rotating) this.#act("keep");
  }

  #cardAt(place) {
    return place.dataset.place.startsWith("hand") ? place.querySelector(".card").dataset.card : undefined;
  }

  /** A mouse click on a place has been a tap already; what comes here without one is a key or a screen reader. */
  #click(event) {
    if (event.target.closest("#keep")) {
      if (event.detail <= 1) this.#keep();
      return;
    }
    const place = event.target.closest("[data-place]");
    if (place && event.detail === 0) this.#tap(place);
  }

  #key(event) {
    const key = pressedKey(event);
    if (!this.live || !this.view || !/^[1-7K]$/.test(key)) return;
    event.preventDefault();
    const { crosses, hand } = this.parts;
    if (key === "K") this.#keep();
    else if (this.view.rotator !== this.view.seat) this.#choose(hand[key - 1].at);
    else if (crosses[key - 1]) this.#tap(crosses[key - 1].place);
  }

  #act(action) {
    if (!this.live) return false;
    const sent = this.onAction(action);
    if (sent) {
      this.clicks.act();
      this.telling?.skip();
    } else this.onNote(this.words.one_moment);
    return sent;
  }
}

/** The scenes of what is being told; `skip` shows no more of them. */
class Telling {
  constructor() {
    this.sentence = "";
    this.skipped = document.hidden; // nobody watches
    this.wake = () => {};
  }

  pause(ms) {
    return new Promise((done) => {
      this.wake = done;
      setTimeout(done, ms);
    });
  }

  skip() {
    this.skipped = true;
    this.wake();
  }
}

/** The seats of the pair that have chosen, where it is known that one has. */
function chosenBy(view) {
  return view.pair.filter((seat) => seat !== view.seat && !view.waiting_for.includes(seat));
}

function drawBack(element, shown) {
  if (shown && !element.innerHTML) element.innerHTML = back();
  element.classList.toggle("undealt", !shown);
}

function pointsOf(value) {
  return make("b.points", { sign: value < 0 ? "minus" : "plus" }, signed(value));
}
