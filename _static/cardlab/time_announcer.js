/** Announces a time limit to screen readers at 60, 30 and 10 seconds. */

const MOMENTS = [60, 30, 10]; // seconds

export class TimeAnnouncer {
  /** @param {(seconds: number) => void} tell called at these times, and when a shorter limit begins */
  constructor(tell) {
    this.tell = tell;
    this.left = Infinity;
  }

  /** @param {number} seconds the time left; Infinity if there is no limit */
  tick(seconds) {
    const before = seconds > this.left ? Infinity : this.left; // a larger value means that a new limit has begun
    this.left = seconds;
    if (MOMENTS.some((moment) => seconds <= moment && moment < before)) this.tell(seconds);
  }
}
