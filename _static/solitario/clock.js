/** Shows the running score and time, counting on from the server's last message. */

import { setText } from "../cardlab/elements.js";
import { repeatUntilPageEnds } from "../cardlab/page_lifetime.js";
import { formatMinutes } from "../cardlab/text.js";

const TICK_MS = 250;

export class Clock {
  /** @param {Record<string, any>} parts the elements `clock`, `time` and `score`; the last two are written */
  constructor(parts) {
    this.parts = parts;
    this.startTime = null; // in the time of performance.now(); null if unknown
    this.receivedAt = 0; // when the newest message came
    this.pointsBeforeTime = 0; // points without the deduction for time
    this.result = null; // of a finished hand
    this.isRunning = false;
    this.timer = 0;
  }

  /** @param {object} view the newest  @param {object} [state] its message */
  update(view, state) {
    this.pointsBeforeTime = view.points;
    // The board to try, hand 0, has no clock.
    if (state && state.hand !== 0) {
      const { clock, over, paused, stands, time = clock } = state;
      this.receivedAt = performance.now();
      this.startTime = this.receivedAt - (time ?? 0);
      this.isRunning = over === null && time !== null && !paused && !stands; // a replay stops it
      this.result = state.over === null ? null : state.result;
      this.timer ||= repeatUntilPageEnds(() => this.isRunning && this.#draw(), TICK_MS);
    }
    this.#draw();
  }

  #draw() {
    const { parts, result, pointsBeforeTime, startTime } = this;
    const now = this.isRunning ? performance.now() : this.receivedAt;
    const elapsed = startTime === null ? 0 : Math.max(0, Math.floor((now - startTime) / 1000));
    const seconds = result ? result.parts.seconds : elapsed;
    parts.clock.hidden = startTime === null;
    setText(parts.time, formatMinutes(seconds));
    setText(parts.score, formatScore(result ? result.score : pointsBeforeTime - seconds));
  }
}

/** Formats a score: `125`, `−3` with a real minus sign. */
export const formatScore = (score) => (score < 0 ? `−${-score}` : String(score));
