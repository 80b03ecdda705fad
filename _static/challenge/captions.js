/** The text beside the table: whose turn it is, what has happened, advice, warnings, the time limit. */

import { Countdown } from "../cardlab/countdown.js";
import { TimeAnnouncer } from "../cardlab/time_announcer.js";
import { begin, fill } from "../cardlab/text.js";
import { written } from "./sentences.js";

const CALM = 300; // ms that somebody is waited for before it is said: a quick answer is no wait
const HURRY = 10; // seconds

export class Captions {
  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    this.picked = 0; // how many cards were picked up last, as far as that was seen
    this.news = []; // what has happened since one acted oneself, in sentences
    this.waits = null; // the timer until it is said that somebody is waited for
    this.countdown = new Countdown((time, seconds) => this.#drawDeadline(time, seconds));
    this.announcer = new TimeAnnouncer((seconds) => board.onChange(fill(board.words.hurry, { seconds })));
  }

  /**
   * Keep what a new view tells: one's own action, and all that has followed.
   * @param {object | null} before the view before it
   * @param {number | null} ms that are left, null without a limit
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

  /** What one has done oneself, where the answer to it came in the same view. */
  #ownMove(before) {
    const { sent, sentences, view } = this.board;
    if (view.last[0] === view.seat || !before || !sent) return [];
    const [verb, card] = sent.split(" ");
    const count = gained(before, view, view.seat);
    const played = verb === "play" && before.hand.includes(card) && !view.hand.includes(card);
    const done = played || (sent === "pick up" && count > 0);
    return done ? [sentences.last({ ...view, last: [view.seat, sent], played_for: "" }, written, count)] : [];
  }

  /** @param {boolean} atOnce whether it is said at once that somebody is waited for */
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

  /** For a voice: what has happened, what is to be minded, what was advised. */
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

/** How many cards a seat has more than before. */
const gained = (before, view, seat) => (seat ? Math.max(0, view.hands[seat] - before.hands[seat]) : 0);

/** Whether something has happened between two views: every action changes its number or the last one. */
const isNew = (before, view) => before.moves !== view.moves || before.last.join() !== view.last.join();

/** Write a sentence where another stood; the same one is not written again. */
function say(part, sentence) {
  const text = begin(sentence);
  if (part.textContent !== text) part.textContent = text;
}
