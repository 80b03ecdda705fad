/** Announces a time limit to screen readers at 60, 30 and 10 seconds. */

const ANNOUNCED_SECONDS = [60, 30, 10];

export class TimeAnnouncer {
  /** @param {(seconds: number) => void} announce called at these times, and when a shorter limit begins */
  constructor(announce) {
    this.announce = announce;
    this.left = Infinity;
  }

  /** @param {number} seconds the time left; Infinity if there is no limit */
  tick(seconds) {
    const before = seconds > this.left ? Infinity : this.left; // a larger value means that a new limit has begun
    this.left = seconds;
    if (ANNOUNCED_SECONDS.some((announced) => seconds <= announced && announced < before)) this.announce(seconds);
  }
}
