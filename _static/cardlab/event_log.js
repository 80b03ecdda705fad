/**
 * What a browser reports (browser_events.js) until the server has stored it, and the figures of its heartbeats.
 * cardlab/games/browser_events.py has the events and their details.
 */

const MAX_PER_BATCH = 40; // events in one message
const MAX_LENGTH = 5000; // characters of a message before its last event, which has at most 2,100
const MAX_WAITING = 300; // events while there is no connection; later ones are dropped

/** The events that the server has not confirmed yet, sent in batches. */
export class EventLog {
  /** @param {string} tab the name of this document */
  constructor(tab) {
    this.tab = tab;
    this.number = 0; // of the latest event
    this.waiting = [];
    this.inFlight = 0; // how many of them were sent
  }

  /** @param {number} page  @param {string} event  @param {object} details  @param {number} now Unix ms */
  add(page, event, details, now) {
    if (this.waiting.length >= MAX_WAITING) return;
    this.number += 1;
    this.waiting.push([this.number, page, event, now, details]);
  }

  /** The next message; null if there is none, or the one before has no answer yet. @param {number} now Unix ms */
  take(now) {
    if (this.inFlight || !this.waiting.length) return null;
    let length = 0;
    while (this.inFlight < Math.min(MAX_PER_BATCH, this.waiting.length) && length < MAX_LENGTH) {
      length += JSON.stringify(this.waiting[this.inFlight]).length;
      this.inFlight += 1;
    }
    return { tab: this.tab, now, events: this.waiting.slice(0, this.inFlight) };
  }

  /** The server has stored the latest message. */
  confirm() {
    this.waiting.splice(0, this.inFlight);
    this.inFlight = 0;
  }

  /** The latest message may be lost: it is sent again. */
  retry() {
    this.inFlight = 0;
  }
}

/** The heartbeats since the latest summary. Times are in ms; those of `clock` are Unix time. */
export class Heartbeats {
  constructor() {
    this.number = 0; // of the latest beat
    this.sent = 0; // when it was sent
    this.late = 0; // the longest delay of the timer: of a tab that the browser slows down, or a computer that sleeps
    this.answers = []; // of each beat, its round trip and the offset of the clocks
  }

  /** Begins a beat, `late` ms after it was due; returns its number. */
  begin(now, late) {
    this.late = Math.max(this.late, late);
    this.sent = now;
    return (this.number += 1);
  }

  /** The server has answered a beat at `server`, by its clock. */
  answer(number, server, now, clock) {
    const trip = now - this.sent;
    if (number === this.number) this.answers.push([trip, server - clock + trip / 2]);
  }

  /** The details of the event `heartbeat`, null without an answer. The clocks are compared in the shortest round trip. */
  summary() {
    if (!this.answers.length) return null;
    const sorted = this.answers.sort(([one], [other]) => one - other);
    const [[, offset], [median], [longest]] = [sorted[0], sorted[sorted.length >> 1], sorted[sorted.length - 1]];
    const figures = { beats: sorted.length, round_trip_ms: median, longest_ms: longest, offset_ms: offset, late_ms: this.late };
    [this.answers, this.late] = [[], 0];
    return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Math.round(value)]));
  }
}

const BROWSERS = [
  ["Edge", /Edg/],
  ["Opera", /OPR|Opera/],
  ["Firefox", /Firefox|FxiOS/],
  ["Chrome", /Chrom|CriOS/],
  ["Safari", /Safari/],
];
const SYSTEMS = [
  ["Windows", /Windows/],
  ["Android", /Android/],
  ["ChromeOS", /CrOS|Chrom(e|ium) OS/],
  ["iOS", /iPhone|iPad|iOS/],
  ["macOS", /Mac ?OS/i],
  ["Linux", /Linux/],
];
const familyIn = (families, text) => families.find(([, sign]) => sign.test(text))?.[0] ?? "other";

/**
 * The families of browser and system: from the client hints, in browsers without them from the user agent.
 * @param {any} navigator
 */
export function familiesOf({ userAgentData: hints, userAgent, maxTouchPoints }) {
  const brands = hints?.brands.map(({ brand }) => brand).join() || userAgent;
  const system = familyIn(SYSTEMS, hints?.platform || userAgent);
  const isTablet = system === "macOS" && maxTouchPoints > 1; // an iPad calls itself a Mac
  return { browser: familyIn(BROWSERS, brands), system: isTablet ? "iOS" : system };
}
