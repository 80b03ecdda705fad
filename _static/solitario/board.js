/** The board of Solitario: how a view is drawn (scene.js), and what gestures and keys mean. */

import { BaseBoard } from "../cardlab/board.js";
import { fill, minutes } from "../cardlab/text.js";
import { FOUNDATIONS, NUMBERS, build, preload } from "./build.js";
import { Scene } from "./scene.js";
import { Sentences } from "./sentences.js";

const TICK = 250; // ms
const TOP_ROW = ["stock", "w", "f1", "f2", "f3", "f4"];
const COLUMNS = NUMBERS.map((number) => `c${number}`);
const ABOVE = { c1: "stock", c2: "w", c3: "w", c4: "f1", c5: "f2", c6: "f3", c7: "f4" };
const BELOW = { stock: "c1", w: "c2", f1: "c4", f2: "c5", f3: "c6", f4: "c7" };

export class Board extends BaseBoard {
  /**
   * @param {HTMLElement} root the board of `_templates/solitario/Board.html`
   * @param {object} page what every board is made with, and
   * @param {number} [page.hand] its number; 0 is the table to try
   * @param {boolean} [page.last] whether no hand follows
   */
  constructor(root, { hand = 0, last = true, ...page }) {
    super(root, page);
    Object.assign(this, { hand, last });
    this.parts = build(root);
    this.sentences = new Sentences(this.words);
    this.scene = new Scene(this.parts, this.sentences);
    this.held = null; // the place of the card that was taken by a click or by Space
    this.current = "stock"; // the pile that the keyboard comes to
    this.hurries = false; // whether the next hand was asked for
    this.clock = null; // when the hand was first shown, in the time of performance.now()
    this.pack = null; // the faces, loaded ahead
    root.addEventListener("focusin", ({ target }) => this.#focused(target));
    // The browser presses a button when Space goes up: by then the key has done its work.
    root.addEventListener("keyup", (event) => {
      if (event.key === " " && event.target.closest("[data-place]")) event.preventDefault();
    });
  }

  get goesOn() {
    return this.hurries;
  }

  setLive(live) {
    super.setLive(live);
    if (!this.parts || live) return;
    this.#letGo();
    this.parts.leave.close();
  }

  draw(before, state) {
    const { scene, view } = this;
    const dragged = this.#dragged(before);
    const seen = before && scene.seen();
    const at = this.#whereFocused();
    this.pack ??= preload(view);
    scene.draw(view);
    this.root.style.setProperty("--ranks", view.cards / FOUNDATIONS.length);
    this.#drawRest();
    this.#tell(state);
    this.#keepFocus(at);
    if (!before) {
      this.onChange(this.sentences.start(view));
      return;
    }
    if (before.moves !== view.moves) this.#letGo();
    scene.arrive(before, view, seen, dragged);
    const news = this.sentences.news(before, view);
    if (news) this.onChange(news);
  }

  /** The card that is being dragged. One that has another place by now is let go. */
  #dragged(before) {
    const at = this.root.querySelector("[data-lifted]");
    if (!at) return null;
    if (before && !sameThere(at, this.#pileOf(at), before, this.view)) this.gestures.cancel();
    return at.hasAttribute("data-lifted") ? this.cardOf(at) : null;
  }

  #drawRest() {
    const { parts, view, words } = this;
    parts["cards-home"].textContent = fill(words.of, { count: view.cards_home, of: view.cards });
    parts["turn-overs"].textContent = view.counts.turn_overs;
    parts.moves.textContent = view.moves;
    parts.undo.hidden = view.may_undo === null;
    parts.undo.disabled = !view.may_undo;
  }

  // Score and time.

  /** Take from a message what the time is, and in the end what the score is. */
  #tell(state) {
    if (state) {
      this.clock = performance.now() - state.clock;
      this.result = state.over === null ? null : state.result;
      this.over = state.over !== null;
      this.parts["give-up"].disabled = this.over;
      if (this.over) this.parts.undo.disabled = true;
      this.timer ??= setInterval(() => this.#tick(), TICK);
    }
    this.#tick();
  }

  #tick() {
    const { clock, parts, result, view } = this;
    parts.clock.hidden = clock === null;
    if (this.over && !result) return; // it stands still
    const now = clock === null ? 0 : Math.max(0, Math.floor((performance.now() - clock) / 1000));
    const seconds = result ? result.parts.seconds : now;
    write(parts.time, minutes(seconds));
    write(parts.score, points(result ? result.score : view.points - seconds));
  }

  reached() {
    return this.parts.foundations.map((at) => at.querySelector(".card"));
  }

  // Piles and cards.

  cardOf(at) {
    return at.querySelector(".card") ?? at.closest(".card");
  }

  #at(place) {
    return this.root.querySelector(`[data-place="${place}"]`);
  }

  /** The pile that a place belongs to: the place itself, or `c3` for a card of column 3. */
  #pileOf(at) {
    return at.closest(".column")?.querySelector(".ground").dataset.place ?? at.dataset.place;
  }

  /** The place at the end of a pile: of a column its last card. */
  #endOf(pile) {
    const at = this.#at(pile);
    return [...(at.closest(".column")?.querySelectorAll(".lying") ?? [])].at(-1) ?? at;
  }

  /** What is taken from a place, as actions name it; null if nothing is. */
  #source(at) {
    const pile = this.#pileOf(at);
    if (pile === "w") return this.view.waste_count ? { pile, name: "w", count: 1 } : null;
    if (pile.startsWith("f")) {
      const card = this.view.foundations[pile[1] - 1];
      return card && { pile, name: card.slice(-1), count: 1 };
    }
    const { up } = this.view.columns[pile[1] - 1] ?? { up: [] };
    const index = up.indexOf(at.dataset.place);
    return index < 0 ? null : { pile, name: pile[1], count: up.length - index };
  }

  // What gestures and keys mean.

  mayLift(at) {
    return this.#source(at) !== null;
  }

  lift(at) {
    this.#letGo();
    const { pile, name, count } = this.#source(at);
    this.onTrace(`pick ${pile.startsWith("c") ? `${name} ${count}` : name}`);
  }

  /** Every column and every foundation but its own: what fits is not told. */
  targets(at) {
    return [...COLUMNS, ...TOP_ROW.slice(2)].filter((pile) => pile !== this.#pileOf(at)).map((pile) => this.#at(pile));
  }

  placeOf(action) {
    const [what, from, to, count = 1] = action.split(" ");
    if (what === "draw" || what === "turn") return this.#at("stock");
    if (what === "up") return this.#at(`c${from}`);
    if (from === "w") return this.#at("w");
    const column = this.view.columns[from - 1];
    if (column) return this.#at(column.up.at(-(what === "move" ? count : 1)) ?? `c${from}`);
    const foundation = this.view.foundations.findIndex((card) => card?.slice(-1) === from);
    return foundation < 0 ? this.#at(`c${to}`) : this.#at(`f${foundation + 1}`);
  }

  drop(from, to) {
    if (to) return this.#lay(from, to);
    this.onNote(this.words.drop_where);
    return false;
  }

  /** Lay what is taken from one place on the pile of another. @returns {boolean} whether that is on its way */
  #lay(from, to) {
    const source = this.#source(from);
    const pile = this.#pileOf(to);
    if (!source || pile === source.pile) return false;
    const { name, count } = source;
    const ofColumn = source.pile.startsWith("c");
    if (pile.startsWith("c")) {
      const verb = source.pile.startsWith("f") ? "back" : "move";
      return this.act(`${verb} ${name} ${pile[1]}${ofColumn ? ` ${count}` : ""}`);
    }
    if (!pile.startsWith("f")) this.onNote(this.words.drop_where);
    else if (count > 1) this.onNote(this.words.one_at_a_time);
    else return this.act(`home ${name} ${pile[1]}`);
    return false;
  }

  act(action) {
    const sent = super.act(action);
    if (sent) this.#letGo();
    return sent;
  }

  tap(at) {
    if (at.dataset.place === "stock") this.#stock(); // as fast as one likes
    else if (this.clicks.again) return;
    else if (this.clicks.twice && this.held === at) this.#sendHome(at);
    else this.press(at);
  }

  press(at) {
    if (at.dataset.place === "stock") this.#stock();
    else if (this.held && this.held !== at && this.#pileOf(this.held) !== this.#pileOf(at)) this.#lay(this.held, at);
    else if (this.held === at) this.#letGo();
    else this.#take(at);
  }

  /** Send home, with the right button, what lies at the end of a pile. A long press is a slow tap. */
  look(at, { held }) {
    if (held) return false;
    if (this.live) this.#sendHome(at);
  }

  /** Hold a card, with what lies on it, or turn up what lies face down. */
  #take(at) {
    this.#letGo();
    const source = this.#source(at);
    const pile = this.#pileOf(at);
    if (source) {
      this.held = at;
      at.setAttribute("data-selected", "");
      at.setAttribute("aria-pressed", "true");
      const card = this.cardOf(at).dataset.card;
      this.onChange(this.sentences.held(card, source.count - 1));
    } else if (pile.startsWith("c")) {
      const { down, up } = this.view.columns[pile[1] - 1];
      if (down && !up.length) this.act(`up ${pile[1]}`);
      else if (!up.length) this.onNote(this.words.take_first);
    } else this.onNote(pile === "w" ? this.words.draw_first : this.words.take_first);
  }

  /** What is held is held no more. */
  #letGo() {
    this.held?.removeAttribute("data-selected");
    this.held?.removeAttribute("aria-pressed");
    this.held = null;
  }

  #sendHome(at) {
    const pile = this.#pileOf(at);
    if (pile === "w" || pile.startsWith("c")) this.act(`home ${pile === "w" ? "w" : pile[1]}`);
  }

  #stock() {
    const { stock } = this.view;
    if (stock) this.act("draw");
    else if (!this.clicks.again) this.act("turn"); // which costs points: not by the last of many quick clicks
  }

  command(id) {
    const { leave } = this.parts;
    if (id === "undo") this.act("undo");
    else if (id === "give-up" && this.live) this.#askToLeave(false);
    else if (id === "stay") leave.close();
    else if (id === "leave-now" && leave.open) {
      leave.close();
      this.hurries = this.act("give up") && this.leaving;
    }
  }

  /** Ask whether to give the hand up. @param {boolean} next whether the next hand is to begin at once */
  #askToLeave(next) {
    const { parts, words } = this;
    this.leaving = next;
    parts["leave-text"].textContent = next ? words.leave_next : words.leave;
    parts["leave-now"].textContent = next ? words.give_up_next : words.give_up;
    parts.leave.showModal();
    parts.stay.focus();
  }

  key(key, event) {
    const { altKey, ctrlKey, metaKey } = event;
    if (altKey || ctrlKey || metaKey || document.querySelector("dialog[open]")) return false;
    if (event.key.startsWith("Arrow")) return this.#arrow(event);
    if (!this.live || this.root.querySelector("[data-lifted]")) return false;
    const at = this.root.contains(event.target) && event.target.closest("[data-place]");
    if (at && (event.key === "Enter" || event.key === " ")) {
      if (!event.repeat) this.#enter(at, event.key === "Enter");
    } else if (event.key === "Escape") {
      if (this.held) this.#letGo();
      else this.#askToLeave(false);
    } else if (key === "N" && this.hand) {
      if (this.last) this.onNote(this.words.no_next);
      else this.#askToLeave(true);
    } else if (key === "D") this.#stock();
    else if (key === "U" && this.view.may_undo !== null) this.act("undo");
    else if (/^[1-7]$/.test(key)) this.#column(`c${key}`);
    else return false;
    return true;
  }

  /** Enter sends home, Space takes; both lay what is held. */
  #enter(at, home) {
    const pile = this.#pileOf(at);
    const sends = home && !this.held && (pile === "w" || pile.startsWith("c")) && this.#source(at)?.count === 1;
    if (sends) this.#sendHome(at);
    else this.press(at);
  }

  /** Lay on a column what is held, or go there. */
  #column(pile) {
    const end = this.#endOf(pile);
    if (this.held) this.#lay(this.held, end);
    this.current = pile;
    end.focus({ preventScroll: true });
  }

  #arrow({ key, shiftKey }) {
    const within = this.root.contains(document.activeElement) && document.activeElement.closest("[data-place]");
    const page = document.documentElement;
    const scrolls = page.scrollHeight > page.clientHeight;
    if (shiftKey || (!within && scrolls)) return false;
    const to = within ? this.#next(within, key) : this.#endOf(this.current);
    to.focus({ preventScroll: !scrolls });
    return true;
  }

  /** Where an arrow key leads from a place. */
  #next(at, key) {
    const pile = this.#pileOf(at);
    const row = TOP_ROW.includes(pile) ? TOP_ROW : COLUMNS;
    if (key === "ArrowLeft" || key === "ArrowRight") {
      const step = key === "ArrowLeft" ? row.length - 1 : 1;
      return this.#endOf(row[(row.indexOf(pile) + step) % row.length]);
    }
    const cards = [...(at.closest(".column")?.querySelectorAll(".lying") ?? [])];
    const index = cards.indexOf(at);
    if (key === "ArrowUp") return cards[index - 1] ?? this.#endOf(ABOVE[pile] ?? pile);
    return row === TOP_ROW ? this.#endOf(BELOW[pile]) : (cards[index + 1] ?? at);
  }

  // The keyboard comes back to the pile that had the focus last.

  #focused(element) {
    const at = element.closest("[data-place]");
    if (!at) return;
    this.current = this.#pileOf(at);
    this.#rove(at);
  }

  #rove(to) {
    for (const at of this.root.querySelectorAll("[data-place]")) at.tabIndex = at === to ? 0 : -1;
  }

  /** The place that has the focus, and whether it is the end of its pile. */
  #whereFocused() {
    const at = this.root.contains(document.activeElement) ? document.activeElement.closest("[data-place]") : null;
    return at && { at, pile: this.#pileOf(at), end: this.#endOf(this.#pileOf(at)) === at };
  }

  /** After a view is drawn, the focus is at the same place of its pile, or at its end. */
  #keepFocus(was) {
    if (!was) {
      this.#rove(this.#endOf(this.current));
      return;
    }
    const stays = !was.end && was.at.isConnected && this.#pileOf(was.at) === was.pile;
    const at = stays ? was.at : this.#endOf(was.pile);
    if (document.activeElement !== at) at.focus({ preventScroll: true });
    this.#rove(at);
  }
}

/** Whether what was lifted in a place lies there still, and nothing else. */
function sameThere(at, pile, before, view) {
  if (pile === "w") return before.waste_count === view.waste_count && before.waste.at(-1) === view.waste.at(-1);
  if (pile.startsWith("f")) return before.foundations[pile[1] - 1] === view.foundations[pile[1] - 1];
  const [old, now] = [before, view].map(({ columns }) => columns[pile[1] - 1].up);
  const from = now.indexOf(at.dataset.place);
  return from >= 0 && from === old.indexOf(at.dataset.place) && now.slice(from).join() === old.slice(from).join();
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A score: `125`, `−3` with a real minus sign. */
export const points = (score) => (score < 0 ? `−${-score}` : String(score));
