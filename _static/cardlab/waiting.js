/**
 * The waiting page: polls the server every few seconds, which also reports presence, continues when the group is
 * complete, and shows what happens next.
 */

import { rememberWaiting } from "./attention.js";
import { life, repeat } from "./life.js";
import { reload } from "./send_form.js";
import { fill, minutes } from "./text.js";

const EVERY = 5000; // ms
const PATIENCE = 6000; // ms without an answer after which the connection counts as lost

const [ready, waited, connection] = ["ready", "waited", "connection"].map((id) => document.getElementById(id));
const next = document.getElementById("next"); // null if waiting has no limit
let othersCome = null; // whether participants on the way are waited for; null: not known yet
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

/** @param {[number, number, boolean] | null} status ready members, group size, and whether others may still arrive */
function showStatus(status) {
  rememberWaiting();
  if (!status) return;
  othersCome = status[2];
  showWhatHappensNext();
  const sentence = fill(ready.dataset.words, { ready: status[0], of: status[1] });
  if (ready.textContent !== sentence) ready.textContent = sentence;
}

/** Polls again after each answer, however long it takes. */
async function pollRepeatedly() {
  await pollStatus();
  if (!life.aborted) setTimeout(pollRepeatedly, EVERY);
}

const since = performance.now() - Number(waited.dataset.ms);
const secondsWaited = () => (performance.now() - since) / 1000;

function tick() {
  waited.textContent = fill(waited.dataset.words, { time: minutes(secondsWaited()) });
  showWhatHappensNext();
}

/** Shows the sentences about the end of `gather_seconds` that apply now. */
function showWhatHappensNext() {
  if (!next) return;
  const early = secondsWaited() < Number(next.dataset.seconds);
  const isTrue = {
    early,
    "too few": othersCome === false,
    "early, others come": early && othersCome,
    "late, others come": !early && othersCome,
  };
  for (const sentence of next.children) {
    const hidden = !isTrue[sentence.dataset.when];
    if (sentence.hidden !== hidden) sentence.hidden = hidden;
  }
}

addEventListener("beforeunload", () => (leaving = true), { signal: life });
addEventListener("offline", () => connectionLost(true), { signal: life });
addEventListener("online", pollStatus, { signal: life });
tick();
repeat(tick, 1000);
pollRepeatedly();
