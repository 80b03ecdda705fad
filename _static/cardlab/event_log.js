/**
 * Keeps browser events (browser_events.js) until the server has stored them, and summarizes heartbeats.
 * cardlab/games/browser_events.py defines the events and their details.
 */

const MAX_PER_BATCH = 40; // events in one message
const MAX_LENGTH = 5000; // characters of a message before its last event, which has at most 2,100
const MAX_WAITING = 300; // unconfirmed events; further ones are dropped

/** The events that the server has not confirmed yet, sent in batches. */
export class EventLog {
  /** @param {string} tab the name of this document */
  constructor(tab) {
    this.tab = tab;
    this.number = 0; // of the latest event
    this.waiting = [];
    this.inFlight = 0; // the number of waiting events in the latest message
  }

  /** @param {number} page  @param {string} event  @param {object} details  @param {number} now Unix ms */
  add(page, event, details, now) {
    if (this.waiting.length >= MAX_WAITING) return;
    this.number += 1;
    this.waiting.push([this.number, page, event, now, details]);
  }

  /** Returns the next message; null if there is none, or if the previous one has no answer yet. @param {number} now Unix ms */
  take(now) {
    if (this.inFlight || !this.waiting.length) return null;
    let length = 0;
    while (this.inFlight < Math.min(MAX_PER_BATCH, this.waiting.length) && length < MAX_LENGTH) {
      length += JSON.stringify(this.waiting[this.inFlight]).length;
      this.inFlight += 1;
    }
    return { tab: this.tab, now, events: this.waiting.slice(0, this.inFlight) };
  }

  /** Removes the events of the latest message, which the server has stored. */
  confirm() {
    this.waiting.splice(0, this.inFlight);
    this.inFlight = 0;
  }

  /** Marks the events of the latest message to be sent again, because it may be lost. */
  retry() {
    this.inFlight = 0;
  }
}

/** The heartbeats since the latest summary. Times are in ms; those of `clock` are Unix time. */
export class Heartbeats {
  constructor() {
    this.number = 0; // of the latest beat
    this.sent = 0; // when it was sent
    this.late = 0; // the longest delay of the timer, as in a throttled tab or on a sleeping computer
    this.answers = []; // for each answered beat, its round trip and the clock offset
  }

  /** Begins a beat, `late` ms after it was due; returns its number. */
  begin(now, late) {
    this.late = Math.max(this.late, late);
    this.sent = now;
    return (this.number += 1);
  }

  /** Records the answer to a beat; `server` is the time of the answer by the server's clock. */
  answer(number, server, now, clock) {
    const trip = now - this.sent;
    if (number === this.number) this.answers.push([trip, server - clock + trip / 2]);
  }

  /** Returns the details of the event `heartbeat`, with the clock offset of the fastest beat; null without answers. */
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
 * Returns the families of browser and system, from the client hints or else from the user agent.
 * @param {any} navigator
 */
export function familiesOf({ userAgentData: hints, userAgent, maxTouchPoints }) {
  const brands = hints?.brands.map(({ brand }) => brand).join() || userAgent;
  const system = familyIn(SYSTEMS, hints?.platform || userAgent);
  const isTablet = system === "macOS" && maxTouchPoints > 1; // an iPad identifies itself as a Mac
  return { browser: familyIn(BROWSERS, brands), system: isTablet ? "iOS" : system };
}
