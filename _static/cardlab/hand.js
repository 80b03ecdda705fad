/**
 * The connection between a hand page and the server, the same for every game.
 *
 * Each answer contains the whole view, and each action has a sequence number. So an action can be sent again after a
 * lost connection without being played twice.
 */

import { ActionQueue } from "./action_queue.js";
import { inputTime } from "./input_time.js";
import { onPageEnd, pageLifetime, repeatUntilPageEnds } from "./page_lifetime.js";
import { claimSeat, handOverSocket, openSocket } from "./page_socket.js";
import { reload } from "./send_form.js";

const ANSWER_TIMEOUT_MS = 4000; // ms without an answer after which the connection counts as lost
const SILENCE = 8000; // ms between two pings
const FIRST_RETRY = 300;
const SLOWEST_RETRY = 3000;

export class HandConnection {
  /**
   * @param {object} page
   * @param {string} page.socket path of the hand's WebSocket
   * @param {number} page.hand number of the hand; 0 is a board to try, which can be restarted
   * @param {(state: object, refused: string) => void} page.onState called with every view; `refused` is the server's
   *   sentence about a refused action, or ""
   * @param {(sentence: string) => void} page.onRefused called with a sentence that comes without a view
   * @param {() => void} page.onLost called when the connection is lost
   * @param {() => void} page.onBack called when it is back; a state follows
   * @param {(mayPlay: boolean) => void} page.onElsewhere called when the seat is open in another tab. The connection is
   *   closed until `playHere`, which the server accepts if `mayPlay` or the other tab has closed
   */
  constructor({ socket, hand, onState, onRefused, onLost, onBack, onElsewhere }) {
    this.socket = socket;
    this.hand = hand;
    this.onState = onState;
    this.onRefused = onRefused;
    this.onLost = onLost;
    this.onBack = onBack;
    this.onElsewhere = onElsewhere;
    this.next = -1; // the sequence number of the next action, from the newest state
    this.zero = null; // when the hand was first shown, in the time of performance.now()
    this.latest = 0; // the time (ms) of the latest action, trace or note
    this.actions = new ActionQueue();
    this.notes = []; // notes that the server has not confirmed
    this.retry = FIRST_RETRY;
    this.lost = false;
    this.stopped = false;
    const now = () => this.#connectAtOnce();
    const whileOpen = { signal: pageLifetime };
    addEventListener("online", now, whileOpen);
    addEventListener("offline", () => this.#lose(), whileOpen);
    document.addEventListener("visibilitychange", () => document.hidden || now(), whileOpen);
    // Leaving the page closes the socket, but does not count as a lost connection. Going back may restore the page.
    onPageEnd(() => this.rest());
    addEventListener("pagehide", () => this.stop(), whileOpen);
    addEventListener("pageshow", (event) => event.persisted && this.#start(), whileOpen);
    repeatUntilPageEnds(() => this.#ping(), SILENCE);
    this.#start();
  }

  /** Milliseconds from when the hand was first shown to the input being handled; never decreases. */
  #clock() {
    const ms = this.zero === null ? 0 : Math.round(inputTime() - this.zero);
    return (this.latest = Math.max(this.latest, ms));
  }

  /** Whether the connection is open and the hand's state has arrived. */
  get open() {
    return !this.lost && !this.stopped && !this.fresh;
  }

  /** Whether an action can be sent: open, and no action in flight. */
  get ready() {
    return this.open && this.actions.pending === null;
  }

  /**
   * Sends an action after the answers to those before it, `early` if it is not this seat's turn.
   * @param {() => boolean} isStillValid called just before the action is sent: whether it is still valid
   * @returns {boolean} false if it cannot be sent
   */
  act(action, early, isStillValid) {
    const accepted = this.open && this.actions.add(action, this.#clock(), early, isStillValid);
    this.#sendNext();
    return accepted;
  }

  #sendNext() {
    const message = this.ready && this.actions.next(this.hand, this.next);
    if (message) this.#send(message);
  }

  /** Records a trace, such as a pick-up, with its time. It is sent with the next action. */
  trace(name) {
    this.actions.trace(name, this.#clock());
  }

  /** Sends a note about something done on the page, for the record; resends it if it was lost. */
  note(name) {
    const note = { hand: this.hand, note: name, ms: this.#clock() };
    this.notes.push(note);
    if (this.open) this.#send(note);
  }

  /** Requests a fresh deal of a board to try, or that of a step. */
  again(deal = "") {
    if (this.ready) this.#send({ hand: this.hand, again: true, deal });
  }

  /** Sends the choice about an absent co-player. @returns {boolean} false if it cannot be sent now */
  choose(choice) {
    if (!this.ready) return false;
    this.#send({ hand: this.hand, choice });
    return true;
  }

  /** Closes the connection for good. */
  stop() {
    this.stopped = true;
    this.#drop();
  }

  /** Ends this hand, and hands the connection over to the next hand in this document. */
  rest() {
    const ws = this.ws;
    this.ws = null;
    this.stop();
    if (!ws) return;
    ws.onmessage = ws.onclose = null;
    handOverSocket(ws);
  }

  /** Reconnects in order to play here although the seat is open elsewhere. */
  playHere() {
    claimSeat(this.socket);
    this.#start();
  }

  #start() {
    this.stopped = false;
    this.#open();
  }

  #connectAtOnce() {
    if (this.lost && !this.stopped) this.#open();
  }

  #open() {
    this.#drop();
    this.fresh = true; // nothing received on this socket yet
    this.ws = openSocket(this.socket);
    this.ws.onmessage = (event) => this.#receive(JSON.parse(event.data));
    this.ws.onclose = () => this.#lose();
    this.#expectAnswer();
  }

  /** Drops the socket, so that its late messages are ignored. */
  #drop() {
    clearTimeout(this.answerTimer);
    clearTimeout(this.reconnect);
    if (!this.ws) return;
    this.ws.onmessage = this.ws.onclose = null;
    this.ws.close();
    this.ws = null;
  }

  #expectAnswer() {
    clearTimeout(this.answerTimer);
    this.answerTimer = setTimeout(() => this.#lose(), ANSWER_TIMEOUT_MS);
  }

  #send(message) {
    this.ws.send(JSON.stringify(message));
    this.#expectAnswer();
  }

  /** Pings the server, because a connection can die without an event. */
  #ping() {
    if (!this.ready) return;
    this.ws.send("ping");
    this.#expectAnswer();
  }

  #lose() {
    if (this.stopped) return;
    this.#drop();
    if (!this.lost) this.onLost();
    this.lost = true;
    this.reconnect = setTimeout(() => this.#open(), this.retry);
    this.retry = Math.min(SLOWEST_RETRY, this.retry * 2);
  }

  #receive(message) {
    if (message === "ping") {
      this.ws.send("pong"); // answers the server's ping
      return;
    }
    if (message === "pong") {
      if (!this.actions.pending) clearTimeout(this.answerTimer);
      return;
    }
    if (message.reload) {
      this.stop();
      reload(); // the participant has moved to another page
      return;
    }
    if (message.second_tab) {
      this.stop();
      this.onElsewhere(message.second_tab === "tell");
      return;
    }
    if (message.view === undefined) this.#receiveSentence(message.refused);
    else if (message.hand === this.hand) this.#receiveState(message);
  }

  /** Handles an error message without a view; the board does not change. */
  #receiveSentence(sentence) {
    clearTimeout(this.answerTimer);
    this.actions.refuse();
    this.onRefused(sentence);
  }

  #receiveState(message) {
    const first = this.fresh;
    const restarted = message.next < this.next && this.hand === 0;
    // With several tabs, an older board can arrive after a newer one.
    if (message.next < this.next && !first && !restarted) return;
    if (this.zero === null || restarted) [this.zero, this.latest] = [performance.now() - message.clock, 0];
    this.next = message.next;
    this.fresh = false;
    this.notes = this.notes.filter(({ note }) => note !== message.noted);
    if (first) for (const note of this.notes) this.#send(note);
    const { actions } = this;
    actions.settle(message);
    if (!actions.pending) clearTimeout(this.answerTimer);
    else if (first) this.#send(actions.pending); // it was lost; its number prevents a second execution
    if (this.lost) {
      this.lost = false;
      this.retry = FIRST_RETRY;
      this.onBack();
    }
    this.onState(message, message.refused || "");
    this.#sendNext();
  }
}
