/** A waiting page: tells the server every few seconds that somebody is there, and goes on when it may. */

const EVERY = 5000; // ms

async function ask() {
  try {
    const answer = await fetch(`${location.pathname}?here=1`);
    if (answer.redirected) location.reload();
  } catch {
    // The server is away for the moment: the next time will do.
  }
}

ask();
setInterval(ask, EVERY);
