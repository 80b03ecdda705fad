/**
 * The board of Triangle Solitaire: draws a view, and turns what hands and keys do into actions.
 *
 * It knows what the view says and nothing more. Drawing is idempotent: every state draws the whole board, motion
 * is only how the cards get there.
 */

import { Clicks } from "../cardlab/clicks.js";
import { listen } from "../cardlab/gestures.js";
import { pressedKey } from "../cardlab/keys.js";
import { arrive, fly, flyAway, pose } from "../cardlab/motion.js";
import { fill } from "../cardlab/page.js";
import { build, picture } from "./build.js";
import { isComplete, small } from "./card.js";
import { Loop, NUMBERS, after, drawCard, lying, stepTo } from "./loop.js";
import { Sentences, discardedBetween, fits, neighbours, placedBetween, signed, surplus } from "./sentences.js";

const FLIGHT = 260; // ms
const DISCARD = 700; // ms: nobody has chosen it, so it must be noticed
const touch = matchMedia("(hover: none)");
const SINGLES = /^[HPFBRGCST]$/;

export class Board {
  /**
   * @param {HTMLElement} root the board of `triangle_app/Board.html`
   * @param {object} table
   * @param {Record<string, string>} table.words the sentences a participant reads
   * @param {(action: string) => boolean} table.onAction false if another action is still on its way
   * @param {(trace: string) => void} table.onTrace pick-ups
   * @param {(sentence: string) => void} table.onNote why something was no move
   * @param {(sentence: string) => void} table.onChange what changed, for those who cannot see it
   */
  constructor(root, { words, onAction, onTrace, onNote, onChange }) {
    Object.assign(this, { root, words, onAction, onTrace, onNote, onChange });
    this.sentences = new Sentences(words);
    this.parts = build(root);
    this.loop = new Loop(this.parts.loop, words);
    this.view = null;
    this.aimed = null; // the number of the place that the pointer or the focus asks about
    this.roving = 1; // the place that the keyboard comes to
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
    if (this.view) this.#drawAim();
  }

  /** Draw a view. */
  show(view) {
    const old = this.view;
    if (old && old.card !== view.card) this.gestures.cancel();
    const seen = old && this.#leave(old, view);
    this.view = view;
    this.#draw();
    if (!old) return;
    this.#arrive(old, view, seen);
    const news = this.sentences.news(old, view);
    if (news) this.onChange(news);
  }

  /** Draw the newest view again: a card dropped in vain goes back. */
  redraw() {
    if (this.view) this.show(this.view);
  }

  // Drawing.

  #draw() {
    const { loop, parts, sentences, view } = this;
    loop.draw(view);
    for (const place of view.places) {
      const { at, marks } = loop.place(place.place);
      at.setAttribute("aria-label", sentences.place(view, place));
      at.tabIndex = place.place === this.roving ? 0 : -1;
      at.toggleAttribute("data-fits", Boolean(view.fits?.includes(place.place)));
      for (const mark of marks.children) {
        mark.setAttribute("aria-label", sentences.mark(mark.dataset.mark, place.place));
      }
    }
    this.#drawRevealed();
    this.#drawScore();
    this.#drawRest();
    parts.discarded.textContent = sentences.discarded(view.last.discarded);
    parts.discarded.hidden = !view.last.discarded.length;
    this.#drawAim();
  }

  #drawRevealed() {
    const { parts, sentences, view, words } = this;
    drawCard(parts.card, view.card ?? "", words);
    parts.name.textContent = view.card ? sentences.there(view.card) : words.all_played;
    parts.revealed.setAttribute("aria-label", parts.name.textContent);
    parts.left.textContent = view.cards_left;
    parts.deck.classList.toggle("undealt", view.cards_left === 0);
  }

  #drawScore() {
    const { parts, view } = this;
    parts.total.textContent = signed(view.score.total);
    parts.picture.innerHTML = picture(view.score);
    for (const [part, element] of Object.entries(parts.points)) {
      const points = view.score.points[part];
      element.textContent = signed(points);
      element.dataset.sign = Math.sign(points);
    }
  }

  #drawRest() {
    const { parts, sentences, view, words } = this;
    for (const [single, { at, count }] of Object.entries(parts.tray)) {
      const spare = view.spares[single];
      count.textContent = spare;
      at.toggleAttribute("data-none", spare === 0);
      at.setAttribute("aria-label", sentences.spare(single, spare));
    }
    parts.toCome.section.hidden = view.left === null;
    for (const [name, cell] of Object.entries(parts.toCome.cards)) {
      const there = Boolean(view.left?.includes(name));
      cell.toggleAttribute("data-gone", !there);
      cell.setAttribute("aria-label", fill(there ? words.to_come : words.gone, { card: sentences.card(name) }));
    }
    parts.discardsCount.textContent = view.discards.length;
    this.#drawDiscards();
  }

  #drawDiscards() {
    const { parts, sentences, view } = this;
    const heap = parts.discards;
    while (heap.children.length > view.discards.length) heap.lastElementChild.remove();
    view.discards.forEach((name, index) => {
      const card = heap.children[index] ?? heap.appendChild(document.createElement("span"));
      card.className = "card";
      card.setAttribute("role", "listitem");
      card.setAttribute("aria-label", sentences.card(name));
      drawCard(card, name, this.words);
    });
  }

  /** What the place that is asked about means to the card to be placed: there and at its two joints. */
  #drawAim() {
    const { live, loop, parts, sentences, view } = this;
    for (const joint of loop.joints) delete joint.dataset.preview;
    for (const { at } of loop.places) delete at.dataset.aimed;
    const number = this.aimed;
    if (!live || !view.card || number === null || view.places[number - 1].complete) {
      parts.hint.textContent = live && view.card ? this.#how() : "";
      return;
    }
    const there = lying(view.places[number - 1]);
    loop.place(number).at.dataset.aimed = fits(view.card, there) ? "fits" : "not";
    parts.hint.replaceChildren(line("verdict", sentences.verdict(view, number)));
    for (const { joint, relation } of neighbours(view, number)) loop.joint(joint).dataset.preview = relation;
    parts.hint.append(...sentences.neighbours(view, number).map((sentence) => line("neighbour", sentence)));
  }

  /** How a card is placed. */
  #how() {
    const { view, words } = this;
    if (!isComplete(view.card)) return words.how_to_add;
    return touch.matches ? words.how_to_place_touch : words.how_to_place;
  }

  // Motion.

  /** Before a new view is drawn: what leaves its place goes, and where cards are seen now is kept. */
  #leave(old, view) {
    const { loop, parts } = this;
    const seen = { revealed: pose(parts.card), deck: pose(parts.deck), marks: new Map() };
    view.places.forEach(({ place, marks, complete }, index) => {
      const { card, marks: row } = loop.place(place);
      const [was, taken] = [old.places[index], surplus(old.places[index].marks, marks)];
      if (complete && !was.complete) {
        for (const single of was.singles) flyAway(card, pose(parts.tray[single].card), { ms: FLIGHT });
      }
      for (const single of taken) {
        const mark = [...row.children].find(({ dataset }) => dataset.mark === single);
        if (mark) flyAway(mark.firstElementChild, pose(parts.tray[single].card), { ms: FLIGHT });
      }
    });
    return seen;
  }

  /** After it is drawn: what is new in its place comes from where it was. */
  #arrive(old, view, seen) {
    const { loop, parts } = this;
    const discarded = discardedBetween(old, view);
    if (placedBetween(old, view)) fly(loop.place(view.last.place).card, seen.revealed, { ms: FLIGHT });
    const from = placedBetween(old, view) ? seen.deck : seen.revealed;
    const heap = [...parts.discards.children].slice(old.discards.length);
    for (const card of heap) fly(card, from, { ms: DISCARD, turnsUp: true });
    for (const single of discarded.filter((card) => !isComplete(card))) {
      fly(parts.tray[single].card, from, { ms: DISCARD, turnsUp: true });
    }
    for (const { place, marks } of view.places) {
      const laid = surplus(marks, old.places[place - 1].marks);
      for (const single of laid) {
        const mark = [...loop.place(place).marks.children].find(({ dataset }) => dataset.mark === single);
        fly(mark.firstElementChild, pose(parts.tray[single].card), { ms: FLIGHT });
      }
    }
    if (view.card === old.card) {
      if (parts.card.style.transform && !parts.revealed.hasAttribute("data-lifted")) this.#back(parts.card);
      return;
    }
    unshrink(parts.card);
    if (view.card) fly(parts.card, seen.deck, { ms: FLIGHT, turnsUp: true });
  }

  #back(card) {
    const from = card.getBoundingClientRect();
    unshrink(card);
    arrive(card, from);
  }

  // What hands do.

  #listen() {
    const { root } = this;
    this.gestures = listen(root, {
      places: "[data-place]",
      mayLift: (at) => this.#mayLift(at),
      onLift: (at) => this.#lift(at),
      onDrop: (from, to) => this.#drop(from, to),
      onTap: (at) => this.clicks.again || this.#tap(at),
      onLook: (at) => this.#aim(at),
    });
    root.addEventListener("click", (event) => this.#click(event));
    root.addEventListener("pointerover", (event) => this.#aim(event.target));
    root.addEventListener("pointerleave", () => this.#aim(null));
    root.addEventListener("focusin", (event) => this.#focused(event.target));
    root.addEventListener("focusout", () => this.#aim(null));
    document.addEventListener("keydown", (event) => this.#key(event));
    // While a card is dragged, the pointer belongs to the place where the drag began.
    new MutationObserver(() => this.#aimAtTarget()).observe(root, {
      subtree: true,
      attributeFilter: ["data-over"],
    });
  }

  /** Ask about the place of an element, else about the one that has the focus, unless a card is dragged. */
  #aim(element) {
    const { activeElement } = document;
    const focused = this.root.contains(activeElement) && !this.root.querySelector("[data-lifted]");
    const at = element?.closest("[data-number]") ?? (focused ? activeElement.closest("[data-number]") : null);
    const number = Number(at?.dataset.number) || null;
    if (number === this.aimed || !this.view) return;
    this.aimed = number;
    this.#drawAim();
  }

  #aimAtTarget() {
    if (this.root.querySelector("[data-lifted]")) this.#aim(this.root.querySelector("[data-over]"));
  }

  #focused(element) {
    const { number } = element.closest(".spot .place:not(.mark)")?.dataset ?? {};
    if (number) this.#rove(Number(number));
    this.#aim(element);
  }

  #rove(number) {
    this.loop.place(this.roving).at.tabIndex = -1;
    this.roving = number;
    this.loop.place(number).at.tabIndex = 0;
  }

  #mayLift(at) {
    if (!this.live) return false;
    const { mark, place, single } = at.dataset;
    if (place === "card") return Boolean(this.view.card);
    if (mark) return true;
    if (!single) return false;
    if (!this.view.spares[single]) this.onNote(this.words.no_spare);
    return this.view.spares[single] > 0;
  }

  /** A large card shrinks under the hand, so that the places stay in sight. */
  #lift(at) {
    const { mark, place, single } = at.dataset;
    this.onTrace(`pick ${mark ?? single ?? place}`);
    const card = at.querySelector(".card");
    const box = card.getBoundingClientRect();
    const { x, y } = this.clicks.pressed;
    card.style.transformOrigin = `${x - box.left}px ${y - box.top}px`;
    card.style.scale = Math.min(1, this.loop.place(1).at.offsetWidth / box.width);
  }

  #drop(from, to) {
    const { mark, number, place, single } = from.dataset;
    const target = Number(to?.dataset.number) || null;
    if (this.live && place === "card" && this.#dropCard(target)) return; // it waits there for the answer
    if (this.live && single && target) this.#remind(single, target);
    if (this.live && mark && target !== Number(number)) this.#act(`unmark ${mark} ${number}`);
    this.#back(from.querySelector(".card"));
  }

  #dropCard(number) {
    if (number === null) this.onNote(this.words.drop_on_place);
    return number !== null && this.#place(number);
  }

  #tap(at) {
    if (!this.live) return;
    const { mark, number, place, single } = at.dataset;
    if (mark) this.#act(`unmark ${mark} ${number}`);
    else if (number) this.#place(Number(number));
    else if (place === "card") this.onNote(this.#how());
    else if (single) this.onNote(this.view.spares[single] ? this.words.how_to_remind : this.words.no_spare);
  }

  /** A mouse click on a place has been a tap already; what comes here without one is a key or a screen reader. */
  #click(event) {
    const at = event.target.closest("[data-place]");
    if (at && event.detail === 0) this.#tap(at);
  }

  #place(number) {
    if (isComplete(lying(this.view.places[number - 1]))) {
      this.onNote(this.words.filled);
      return false;
    }
    return this.#act(`place ${number}`);
  }

  #remind(single, number) {
    if (isComplete(lying(this.view.places[number - 1]))) this.onNote(this.words.no_reminder);
    else if (!this.view.spares[single]) this.onNote(this.words.no_spare);
    else this.#act(`mark ${single} ${number}`);
  }

  #key(event) {
    const key = pressedKey(event);
    if (!this.view) return;
    if (event.key.startsWith("Arrow")) this.#arrow(event);
    else if (key === "N") {
      event.preventDefault();
      this.#next();
    } else if (SINGLES.test(key) && this.live && this.aimed !== null) {
      event.preventDefault();
      if (event.shiftKey) this.#forget(key, this.aimed);
      else this.#remind(key, this.aimed);
    }
  }

  #forget(single, number) {
    if (this.view.places[number - 1].marks.includes(single)) this.#act(`unmark ${single} ${number}`);
  }

  #arrow(event) {
    const within = this.parts.loop.contains(document.activeElement);
    const page = document.documentElement;
    const scrolls = page.scrollHeight > page.clientHeight;
    if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || (!within && scrolls)) return;
    event.preventDefault();
    const step = within ? stepTo(this.roving, event.key) : 0;
    this.#focus(((this.roving - 1 + step + 27) % 27) + 1);
  }

  /** The next place clockwise that fits; where the places that fit are not shown, the next with a Single. */
  #next() {
    const open = this.view.fits ?? NUMBERS.filter((number) => !this.view.places[number - 1].complete);
    let number = after(this.roving);
    if (!this.parts.loop.contains(document.activeElement)) number = this.roving;
    while (open.length && !open.includes(number)) number = after(number);
    if (open.length) this.#focus(number);
  }

  #focus(number) {
    this.loop.place(number).at.focus({ preventScroll: true });
  }

  #act(action) {
    if (!this.live) return false;
    const sent = this.onAction(action);
    if (sent) this.clicks.act();
    else this.onNote(this.words.one_moment);
    return sent;
  }
}

function unshrink(card) {
  card.style.transformOrigin = card.style.scale = "";
}

function line(kind, sentence) {
  const element = document.createElement("span");
  element.className = kind;
  element.textContent = sentence;
  return element;
}
