/** The texts next to the table: status, recent moves, advice, warnings, time limit. */

import { Countdown } from "../cardlab/countdown.js";
import { TimeAnnouncer } from "../cardlab/time_announcer.js";
import { begin, fill } from "../cardlab/text.js";
import { written } from "./sentences.js";

const CALM = 300; // ms until a waiting message is shown
const HURRY = 10; // seconds

export class Captions {
  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    this.picked = 0; // the number of cards picked up last; 0 if unknown
    this.news = []; // sentences about the moves since the own last one
    this.waits = null; // the timer until the waiting message
    this.countdown = new Countdown((time, seconds) => this.#drawDeadline(time, seconds));
    this.announcer = new TimeAnnouncer((seconds) => board.onChange(fill(board.words.hurry, { seconds })));
  }

  /**
   * Updates the recent moves from a new view: the own action and those that followed.
   * @param {object | null} before the previous view
   * @param {number | null} ms the time left; null without a limit
   */
  keep(before, ms) {
    const { over, sentences, view, words } = this.board;
    this.countdown.set(over ? null : ms);
    if (before?.moves !== view.moves) this.picked = before ? gained(before, view, view.last[0]) : 0;
    const said = sentences.last(view, written, this.picked);
    if (before && before.logged !== view.logged) this.news = [view.logged ? words.log_on : words.log_off];
    else if (before && before.marks !== view.marks) this.news = [view.marks ? words.marks_on : words.marks_off];
    else if (said && (!before || isNew(before, view))) {
      const acted = view.last[0] === view.seat || before?.waiting_for.includes(view.seat);
      this.news = [...(acted ? this.#ownMove(before) : this.news), said].slice(-3);
    }
  }

  forget() {
    this.news = [];
  }

  /** The own move, if the answer to it came in the same view. */
  #ownMove(before) {
    const { sent, sentences, view } = this.board;
    if (view.last[0] === view.seat || !before || !sent) return [];
    const [verb, card] = sent.split(" ");
    const count = gained(before, view, view.seat);
    const played = verb === "play" && before.hand.includes(card) && !view.hand.includes(card);
    const done = played || (sent === "pick up" && count > 0);
    return done ? [sentences.last({ ...view, last: [view.seat, sent], played_for: "" }, written, count)] : [];
  }

  /** @param {boolean} atOnce whether the waiting message is shown at once */
  draw(atOnce) {
    const { board } = this;
    const { over, parts, sentences, view } = board;
    clearTimeout(this.waits);
    const write = () => say(parts.status, sentences.status(view, board));
    const waits = !over && !view.waiting_for.includes(view.seat) && !view.ended;
    if (waits && !atOnce) this.waits = setTimeout(write, CALM);
    else write();
    say(parts.news, this.news.join(" "));
    say(parts.advice, view.advice ? sentences.advice(view) : "");
    say(parts.warning, over ? "" : sentences.warning(view));
    for (const part of [parts.advice, parts.warning]) part.hidden = !part.textContent;
  }

  /** Announces recent moves, warnings and advice to screen readers. */
  tell(before) {
    const { onChange, sentences, view } = this.board;
    const name = (card) => sentences.card(card);
    const news = isNew(before, view);
    const said = [
      news ? sentences.last(view, name, this.picked) : "",
      view.advice && before.advice?.move !== view.advice.move ? sentences.advice(view) : "",
      news ? sentences.warning(view) : "",
    ];
    if (before.logged !== view.logged || before.marks !== view.marks) said.push(...this.news);
    onChange(said.filter(Boolean).join(" "));
  }

  #drawDeadline(time, seconds) {
    const { parts, sentences, view } = this.board;
    const { deadline } = parts;
    const own = Boolean(view?.waiting_for.includes(view.seat));
    deadline.hidden = !time || !view?.waiting_for.length;
    this.announcer.tick(own ? seconds : Infinity);
    if (deadline.hidden) return;
    deadline.textContent = sentences.deadline(view, time);
    deadline.toggleAttribute("data-last-seconds", own && seconds <= HURRY);
  }
}

/** The number of cards that a seat has gained. */
const gained = (before, view, seat) => (seat ? Math.max(0, view.hands[seat] - before.hands[seat]) : 0);

/** Whether there was an action between two views. */
const isNew = (before, view) => before.moves !== view.moves || before.last.join() !== view.last.join();

/** Replaces a sentence, unless it is the same. */
function say(part, sentence) {
  const text = begin(sentence);
  if (part.textContent !== text) part.textContent = text;
}
