/** For who found all places taken: asks now and then whether there is one, and comes again. */

const wait = Number(document.getElementById("full").dataset.seconds) * 1000;

async function pollFreeSlot() {
  try {
    const answer = await fetch(`/cardlab/free${location.pathname}`);
    if ((await answer.json()).free) return location.reload();
  } catch {
    // the server does not answer just now: the next time may do
  }
  setTimeout(pollFreeSlot, wait);
}

setTimeout(pollFreeSlot, wait);
