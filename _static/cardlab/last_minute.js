/** When a time limit is spoken of: at a minute, at 30 and at 10 seconds, and not at every second. */

const MOMENTS = [60, 30, 10]; // seconds

export class LastMinute {
  /** @param {(seconds: number) => void} tell called at these moments, and when a shorter limit begins */
  constructor(tell) {
    this.tell = tell;
    this.left = Infinity;
  }

  /** @param {number} seconds that are left; Infinity if there is no limit */
  tick(seconds) {
    const before = seconds > this.left ? Infinity : this.left; // more than a moment ago: another limit has begun
    this.left = seconds;
    if (MOMENTS.some((moment) => seconds <= moment && moment < before)) this.tell(seconds);
  }
}
