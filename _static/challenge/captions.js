/** The texts next to the table: status, recent moves, advice, warnings, time limit. */

import { Countdown } from "../cardlab/countdown.js";
import { TimeAnnouncer } from "../cardlab/time_announcer.js";
import { capitalise, fill } from "../cardlab/text.js";
import { shortName } from "./sentences.js";

const WAITING_DELAY_MS = 300; // until a waiting message is shown
const HURRY_SECONDS = 10;

export class Captions {
  /** @param {import("./board.js").Board} board */
  constructor(board) {
    this.board = board;
    this.pickedUpCount = 0; // the number of cards picked up last; 0 if unknown
    this.news = []; // sentences about the moves since the participant's last one
    this.waitingTimer = null; // shows the waiting message
    this.countdown = new Countdown((time, seconds) => this.#drawDeadline(time, seconds));
    this.announcer = new TimeAnnouncer((seconds) => board.onChange(fill(board.words.hurry, { seconds })));
  }

  /**
   * Updates the recent moves from a new view: the participant's last action and those after it.
   * @param {object | null} before the previous view
   * @param {number | null} ms the time left; null without a limit
   */
  update(before, ms) {
    const { over, sentences, view, words } = this.board;
    this.countdown.set(over ? null : ms);
    if (before?.moves !== view.moves) this.pickedUpCount = before ? cardsGained(before, view, view.last[0]) : 0;
    const sentence = sentences.lastActionText(view, shortName, this.pickedUpCount);
    if (before && before.logged !== view.logged) this.news = [view.logged ? words.log_on : words.log_off];
    else if (before && before.marks !== view.marks) this.news = [view.marks ? words.marks_on : words.marks_off];
    else if (before && !view.last[0] && hasNewAction(before, view)) this.forgetNews(); // a new game
    else if (sentence && (!before || hasNewAction(before, view))) {
      const hasOwnAction = view.last[0] === view.seat || before?.waiting_for.includes(view.seat);
      this.news = [...(hasOwnAction ? this.#ownMove(before) : this.news), sentence].slice(-3);
    }
  }

  forgetNews() {
    this.news = [];
  }

  /** The sentence about the participant's own move, if the answer to it came in the same view. */
  #ownMove(before) {
    const { sent, sentences, view } = this.board;
    if (view.last[0] === view.seat || !before || !sent) return [];
    const [verb, card] = sent.split(" ");
    const count = cardsGained(before, view, view.seat);
    const played = verb === "play" && before.hand.includes(card) && !view.hand.includes(card);
    const done = played || (sent === "pick up" && count > 0);
    return done ? [sentences.lastActionText({ ...view, last: [view.seat, sent], played_for: "" }, shortName, count)] : [];
  }

  /** @param {boolean} atOnce whether the waiting message is shown at once */
  draw(atOnce) {
    const { board } = this;
    const { over, parts, sentences, view } = board;
    clearTimeout(this.waitingTimer);
    const showStatus = () => showSentence(parts.status, sentences.status(view, board));
    const isWaiting = !over && !view.waiting_for.includes(view.seat) && !view.ended;
    if (isWaiting && !atOnce) this.waitingTimer = setTimeout(showStatus, WAITING_DELAY_MS);
    else showStatus();
    showSentence(parts.news, this.news.join(" "));
    showSentence(parts.advice, view.advice ? sentences.advice(view) : "");
    showSentence(parts.warning, over ? "" : sentences.warning(view));
    for (const part of [parts.advice, parts.warning]) part.hidden = !part.textContent;
  }

  /** Announces recent moves, warnings and advice to screen readers. */
  announce(before) {
    const { onChange, sentences, view } = this.board;
    const name = (card) => sentences.card(card);
    const news = hasNewAction(before, view);
    const announcements = [
      news ? sentences.lastActionText(view, name, this.pickedUpCount) : "",
      view.advice && before.advice?.move !== view.advice.move ? sentences.advice(view) : "",
      news ? sentences.warning(view) : "",
    ];
    if (before.logged !== view.logged || before.marks !== view.marks) announcements.push(...this.news);
    onChange(announcements.filter(Boolean).join(" "));
  }

  #drawDeadline(time, seconds) {
    const { parts, sentences, view } = this.board;
    const { deadline } = parts;
    const isOwnTurn = Boolean(view?.waiting_for.includes(view.seat));
    deadline.hidden = !time || !view?.waiting_for.length;
    this.announcer.tick(isOwnTurn ? seconds : Infinity);
    if (deadline.hidden) return;
    deadline.textContent = sentences.deadline(view, time);
    deadline.toggleAttribute("data-last-seconds", isOwnTurn && seconds <= HURRY_SECONDS);
  }
}

/** The number of cards that a seat has gained. */
const cardsGained = (before, view, seat) => (seat ? Math.max(0, view.hands[seat] - before.hands[seat]) : 0);

/** Whether there was an action between two views. */
const hasNewAction = (before, view) => before.moves !== view.moves || before.last.join() !== view.last.join();

/** Replaces a sentence, unless it is the same. */
function showSentence(part, sentence) {
  const text = capitalise(sentence);
  if (part.textContent !== text) part.textContent = text;
}
