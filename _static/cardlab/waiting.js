/** A waiting page: tells the server every few seconds that somebody is there, and goes on when it may. */

import { keepThatOneWaits } from "./signal.js";
import { fill, minutes } from "./text.js";

const EVERY = 5000; // ms
const PATIENCE = 6000; // ms without an answer after which the connection counts as lost

const [ready, waited, connection] = ["ready", "waited", "connection"].map((id) => document.getElementById(id));
let leaving = false; // a question that the page breaks off by going on is no lost one
const connectionLost = (lost) => (connection.hidden = !lost);

async function ask() {
  try {
    const answer = await fetch(`${location.pathname}?here=1`, { signal: AbortSignal.timeout?.(PATIENCE) });
    if (answer.redirected) location.reload();
    else show(await answer.json());
    connectionLost(false);
  } catch {
    connectionLost(!leaving); // the next time may do
  }
}

/** @param {[number, number] | null} found how many are ready, and of how many */
function show(found) {
  keepThatOneWaits();
  if (!found) return;
  const sentence = fill(ready.dataset.words, { ready: found[0], of: found[1] });
  if (ready.textContent !== sentence) ready.textContent = sentence;
}

/** One question after the other, however long an answer takes. */
async function askAgainAndAgain() {
  await ask();
  setTimeout(askAgainAndAgain, EVERY);
}

const since = performance.now() - Number(waited.dataset.ms);
function tick() {
  waited.textContent = minutes((performance.now() - since) / 1000);
}

addEventListener("beforeunload", () => (leaving = true));
addEventListener("offline", () => connectionLost(true));
addEventListener("online", ask);
tick();
setInterval(tick, 1000);
askAgainAndAgain();
