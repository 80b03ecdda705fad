/**
 * The waiting page: polls the server every few seconds, which also reports presence, and at the end of the longest
 * wait; continues when the group is complete.
 */

import { rememberWaiting } from "./attention.js";
import { life, repeat } from "./life.js";
import { reload } from "./send_form.js";
import { fill, minutes } from "./text.js";

const EVERY = 5000; // ms
const PATIENCE = 6000; // ms without an answer after which the connection counts as lost

const [ready, waited, connection] = ["ready", "waited", "connection"].map((id) => document.getElementById(id));
const longest = 1000 * Number(waited.dataset.longest); // ms; 0 if waiting has no limit
let leaving = false; // a poll that is aborted by leaving the page is no lost connection
const connectionLost = (lost) => (connection.hidden = !lost);

async function pollStatus() {
  try {
    const answer = await fetch(`${location.pathname}?here=1`, { signal: AbortSignal.timeout?.(PATIENCE) });
    if (answer.redirected || answer.status === 403) reload(); // 403: another browser has the seat
    else showStatus(await answer.json());
    connectionLost(false);
  } catch {
    connectionLost(!leaving);
  }
}

/** @param {[number, number] | null} status ready members, and group size */
function showStatus(status) {
  rememberWaiting();
  if (!status) return;
  const sentence = fill(ready.dataset.words, { ready: status[0], of: status[1] });
  if (ready.textContent !== sentence) ready.textContent = sentence;
}

const since = performance.now() - Number(waited.dataset.ms);
const waitedMs = () => performance.now() - since;

/** Polls again after each answer, however long it takes. */
async function pollRepeatedly() {
  await pollStatus();
  const left = longest - waitedMs();
  if (!life.aborted) setTimeout(pollRepeatedly, left > 0 ? Math.min(left, EVERY) : EVERY);
}

function tick() {
  waited.textContent = fill(waited.dataset.words, { time: minutes(waitedMs() / 1000) });
}

addEventListener("beforeunload", () => (leaving = true), { signal: life });
addEventListener("offline", () => connectionLost(true), { signal: life });
addEventListener("online", pollStatus, { signal: life });
tick();
repeat(tick, 1000);
pollRepeatedly();
