/** Counts down a time limit of the server. */

import { repeat } from "./life.js";
import { minutes } from "./text.js";

const TICK = 200; // ms

export class Countdown {
  /** @param {(time: string, seconds: number) => void} onTick `0:09` and 9; "" and Infinity if there is no limit */
  constructor(onTick) {
    this.onTick = onTick;
    this.ends = null; // the end, in the time of performance.now()
    repeat(() => this.ends !== null && this.#tick(), TICK);
  }

  /** @param {number | null} ms the time left; null if there is no limit */
  set(ms) {
    this.ends = ms === null ? null : performance.now() + ms;
    this.#tick();
  }

  #tick() {
    if (this.ends === null) {
      this.onTick("", Infinity);
      return;
    }
    const seconds = Math.max(0, Math.ceil((this.ends - performance.now()) / 1000));
    this.onTick(minutes(seconds), seconds);
  }
}
