/**
 * The time of the input that is being handled. The browser gives each input event the time at which the device reported
 * it, which does not wait for scripts, animations or a busy computer.
 */

import { pageLifetime } from "./page_lifetime.js";

const INPUTS = ["pointerdown", "pointermove", "pointerup", "click", "contextmenu", "keydown"];
const MAX_AGE_MS = 10_000; // an older time is ignored

let latest = null;
for (const kind of INPUTS) addEventListener(kind, (event) => (latest = event), { capture: true, passive: true, signal: pageLifetime });

/** The time of the input event that is being handled, else now; in the time of performance.now(). */
export function inputTime() {
  return timeOf(latest, performance.now());
}

/**
 * The time of an event that is being dispatched, else `now`.
 * @param {{eventPhase: number, timeStamp: number} | null} event
 * @param {number} now
 */
export function timeOf(event, now) {
  if (!event?.eventPhase) return now;
  const ageMs = now - event.timeStamp;
  return ageMs >= 0 && ageMs <= MAX_AGE_MS ? event.timeStamp : now;
}
