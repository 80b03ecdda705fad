/**
 * The connection between a hand page and the server, the same for every game.
 *
 * The server owns the hand: each answer holds the whole view, and each action carries the number it
 * wants to be. So an action may be sent again after a lost connection without being played twice.
 */

import { reload } from "./leaving.js";
import { memory } from "./memory.js";

const PATIENCE = 4000; // ms without an answer after which the connection counts as lost
const SILENCE = 8000; // ms between two questions whether the server is still there
const FIRST_RETRY = 300;
const SLOWEST_RETRY = 3000;
const MOST_TRACES = 50; // as many as the server takes with one action
const TAB = "card-lab-tab"; // in the tab's own memory: what it calls itself, and whose hands are played in it
const HERE = "card-lab-here"; // although they are open elsewhere, too

/** What this tab calls itself, the same after a reload. */
function tabName() {
  const name = memory.getItem(TAB) ?? Array.from(crypto.getRandomValues(new Uint32Array(3)), String).join("");
  memory.setItem(TAB, name);
  return name;
}

export class HandConnection {
  /**
   * @param {object} page
   * @param {string} page.socket path of the hand's WebSocket
   * @param {number} page.hand number of the hand; 0 is a board to try, which may begin again
   * @param {(state: object, refused: string) => void} page.onState every view, newest last; `refused` is the
   *   server's sentence if it answers an action that was not accepted, else ""
   * @param {(sentence: string) => void} page.onRefused an answer that brings a sentence and no view
   * @param {() => void} page.onLost the connection is gone; play must wait
   * @param {() => void} page.onBack it is back, and a state follows
   * @param {(mayPlay: boolean) => void} page.onElsewhere the seat is open on another page; the connection has
   *   ended until `playHere` is called, which the server heeds if `mayPlay`, or if the other page has closed
   */
  constructor({ socket, hand, onState, onRefused, onLost, onBack, onElsewhere }) {
    this.hand = hand;
    this.onState = onState;
    this.onRefused = onRefused;
    this.onLost = onLost;
    this.onBack = onBack;
    this.onElsewhere = onElsewhere;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    this.url = `${scheme}//${location.host}${socket}?tab=${tabName()}`;
    this.participant = socket.split("/")[2];
    this.next = -1; // the number our next action must carry, as the newest state says
    this.zero = null; // performance.now() of the moment the hand was first shown
    this.pending = null; // the action in flight
    this.traces = [];
    this.notes = []; // what the server is to note and has not heard yet
    this.retry = FIRST_RETRY;
    this.lost = false;
    this.stopped = false;
    const now = () => this.#connectAtOnce();
    addEventListener("online", now);
    addEventListener("offline", () => this.#lose());
    document.addEventListener("visibilitychange", () => document.hidden || now());
    // Leaving the page closes the socket; that is not a lost connection. Coming back may restore the page as it was.
    addEventListener("pagehide", () => this.stop());
    addEventListener("pageshow", (event) => event.persisted && this.#start());
    setInterval(() => this.#ask(), SILENCE);
    this.#start();
  }

  /** Milliseconds since the hand was first shown, running on across reloads. */
  get clock() {
    return this.zero === null ? 0 : Math.max(0, Math.round(performance.now() - this.zero));
  }

  /** Whether an action would be sent now: connected, the hand known, none in flight. */
  get ready() {
    return !this.lost && !this.stopped && !this.fresh && this.pending === null;
  }

  /** Send an action, `early` if it is not the turn of this seat; false if it must wait, and then nothing has happened. */
  act(action, early = false) {
    if (!this.ready) return false;
    this.pending = { hand: this.hand, number: this.next, action, ms: this.clock, traces: this.traces, early };
    this.traces = [];
    this.#send(this.pending);
    return true;
  }

  /** Note a pick-up or the like with its own time; it travels with the next action. */
  trace(name) {
    this.traces.push([name, this.clock]);
    this.traces = this.traces.slice(-MOST_TRACES);
  }

  /** Have it noted in the record that something was done on the page beside the hand; again, if it was lost. */
  note(name) {
    const said = { hand: this.hand, note: name, ms: this.clock };
    this.notes.push(said);
    if (!this.lost && !this.stopped && !this.fresh) this.#send(said);
  }

  /** Ask for a fresh deal of a board to try. */
  again() {
    if (this.ready) this.#send({ hand: this.hand, again: true });
  }

  /** Choose what happens about an absent co-player; false if it must wait. */
  choose(choice) {
    if (!this.ready) return false;
    this.#send({ hand: this.hand, choice });
    return true;
  }

  /** Say good-bye: no more messages, no more reconnecting. */
  stop() {
    this.stopped = true;
    this.#drop();
  }

  /** The seat is open elsewhere, and the person wants to play on this page. */
  playHere() {
    memory.setItem(HERE, this.participant);
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
    this.fresh = true; // nothing heard on this socket yet
    const here = memory.getItem(HERE) === this.participant;
    this.ws = new WebSocket(this.url + (here ? "&here=1" : ""));
    this.ws.onmessage = (event) => this.#receive(JSON.parse(event.data));
    this.ws.onclose = () => this.#lose();
    this.#expectAnswer();
  }

  /** Forget the socket, so that nothing late from it is heard. */
  #drop() {
    clearTimeout(this.patience);
    clearTimeout(this.reconnect);
    if (!this.ws) return;
    this.ws.onmessage = this.ws.onclose = null;
    this.ws.close();
    this.ws = null;
  }

  #expectAnswer() {
    clearTimeout(this.patience);
    this.patience = setTimeout(() => this.#lose(), PATIENCE);
  }

  #send(message) {
    this.ws.send(JSON.stringify(message));
    this.#expectAnswer();
  }

  /** A connection may die without a word; who only waits for others would never know. */
  #ask() {
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
      this.ws.send("pong"); // the server asks whether this page is still there
      return;
    }
    if (message === "pong") {
      if (this.pending === null) clearTimeout(this.patience);
      return;
    }
    if (message.reload) {
      this.stop();
      reload(); // the participant is on another page by now
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

  /** The server could not do it and says so; the board stands as it was. */
  #receiveSentence(sentence) {
    clearTimeout(this.patience);
    this.#keepTraces();
    this.pending = null;
    this.onRefused(sentence);
  }

  #receiveState(message) {
    const first = this.fresh;
    const restarted = message.next < this.next && this.hand === 0;
    // Several tabs may be told at once, so an older board can come after a newer one.
    if (message.next < this.next && !first && !restarted) return;
    if (this.zero === null || restarted) this.zero = performance.now() - message.clock;
    this.next = message.next;
    this.fresh = false;
    this.notes = this.notes.filter(({ note }) => note !== message.noted);
    if (first) for (const said of this.notes) this.#send(said);
    this.#resolvePending(message, first);
    if (this.pending === null) clearTimeout(this.patience);
    if (this.lost) {
      this.lost = false;
      this.retry = FIRST_RETRY;
      this.onBack();
    }
    this.onState(message, message.refused || "");
  }

  /** What a state says about the action in flight: accepted, refused, or never arrived. */
  #resolvePending(message, first) {
    const waiting = this.pending;
    if (waiting === null) return;
    if (!message.refused && message.next === waiting.number) {
      if (first) this.#send(waiting); // lost on its way; the number keeps it from counting twice
      return;
    }
    // A refused action's pick-ups are recorded too, unless the number did not move.
    if (message.next === waiting.number) this.#keepTraces();
    this.pending = null;
  }

  /** The pick-ups of an action that came to nothing travel with the next one. */
  #keepTraces() {
    if (this.pending) this.traces = [...this.pending.traces, ...this.traces].slice(-MOST_TRACES);
  }
}
