/** Counts down a time limit set by the server. */

import { repeatUntilPageEnds } from "./page_lifetime.js";
import { formatMinutes } from "./text.js";

const TICK_MS = 200;

export class Countdown {
  /** @param {(time: string, seconds: number) => void} onTick `0:09` and 9; "" and Infinity if there is no limit */
  constructor(onTick) {
    this.onTick = onTick;
    this.endTime = null; // in the time of performance.now()
    repeatUntilPageEnds(() => this.endTime !== null && this.#tick(), TICK_MS);
  }

  /** @param {number | null} ms the time left; null if there is no limit */
  set(ms) {
    this.endTime = ms === null ? null : performance.now() + ms;
    this.#tick();
  }

  #tick() {
    if (this.endTime === null) {
      this.onTick("", Infinity);
      return;
    }
    const seconds = Math.max(0, Math.ceil((this.endTime - performance.now()) / 1000));
    this.onTick(formatMinutes(seconds), seconds);
  }
}
