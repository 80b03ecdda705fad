/** Shows the running score and time, which this page counts on from the server's. */

import { repeat } from "../cardlab/life.js";
import { minutes } from "../cardlab/text.js";

const TICK = 250; // ms

export class Clock {
  /** @param {Record<string, any>} parts the elements `clock`, `time` and `score`; the last two are written */
  constructor(parts) {
    this.parts = parts;
    this.zero = null; // from when the time counts, in the time of performance.now(); null if unknown
    this.received = 0; // when the newest message came
    this.worth = 0; // points without the deduction for time
    this.result = null; // of a finished hand
    this.runs = false;
    this.timer = 0;
  }

  /** @param {object} view the newest  @param {object} [state] its message */
  tell(view, state) {
    this.worth = view.points;
    // The board to try, hand 0, has no clock.
    if (state && state.hand !== 0) {
      const { clock, over, stands, time = clock } = state;
      this.received = performance.now();
      this.zero = this.received - (time ?? 0);
      this.runs = over === null && time !== null && !stands; // it is stopped in a replay
      this.result = state.over === null ? null : state.result;
      this.timer ||= repeat(() => this.runs && this.#draw(), TICK);
    }
    this.#draw();
  }

  #draw() {
    const { parts, result, worth, zero } = this;
    const now = this.runs ? performance.now() : this.received;
    const since = zero === null ? 0 : Math.max(0, Math.floor((now - zero) / 1000));
    const seconds = result ? result.parts.seconds : since;
    parts.clock.hidden = zero === null;
    write(parts.time, minutes(seconds));
    write(parts.score, points(result ? result.score : worth - seconds));
  }
}

function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Formats a score: `125`, `−3` with a real minus sign. */
export const points = (score) => (score < 0 ? `−${-score}` : String(score));
