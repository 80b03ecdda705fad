/**
 * The waiting page: polls the server every few seconds, which also reports presence, and at the end of the longest
 * wait; continues when the group is complete.
 */

import { rememberWaiting } from "./attention.js";
import { pageLifetime, repeatUntilPageEnds } from "./page_lifetime.js";
import { reload } from "./send_form.js";
import { fill, formatMinutes } from "./text.js";

const POLL_MS = 5000;
const ANSWER_TIMEOUT_MS = 6000; // without an answer before the connection counts as lost

const [ready, waited, connection] = ["ready", "waited", "connection"].map((id) => document.getElementById(id));
const maxWaitMs = 1000 * Number(waited.dataset.longest); // 0 if waiting has no limit
let isLeaving = false; // a poll aborted by leaving the page does not mean a lost connection
const showConnectionLost = (isLost) => (connection.hidden = !isLost);

async function pollStatus() {
  try {
    const answer = await fetch(`${location.pathname}?here=1`, { signal: AbortSignal.timeout?.(ANSWER_TIMEOUT_MS) });
    if (answer.redirected || answer.status === 403) reload(); // 403: another browser has the seat
    else showStatus(await answer.json());
    showConnectionLost(false);
  } catch {
    showConnectionLost(!isLeaving);
  }
}

/** @param {[number, number] | null} status ready members, and group size */
function showStatus(status) {
  rememberWaiting();
  if (!status) return;
  const sentence = fill(ready.dataset.words, { ready: status[0], of: status[1] });
  if (ready.textContent !== sentence) ready.textContent = sentence;
}

const waitStart = performance.now() - Number(waited.dataset.ms);
const waitedMs = () => performance.now() - waitStart;

/** Polls again after each answer, however long it takes. */
async function pollRepeatedly() {
  await pollStatus();
  const leftMs = maxWaitMs - waitedMs();
  if (!pageLifetime.aborted) setTimeout(pollRepeatedly, leftMs > 0 ? Math.min(leftMs, POLL_MS) : POLL_MS);
}

function tick() {
  waited.textContent = fill(waited.dataset.words, { time: formatMinutes(waitedMs() / 1000) });
}

addEventListener("beforeunload", () => (isLeaving = true), { signal: pageLifetime });
addEventListener("offline", () => showConnectionLost(true), { signal: pageLifetime });
addEventListener("online", pollStatus, { signal: pageLifetime });
tick();
repeatUntilPageEnds(tick, 1000);
pollRepeatedly();
