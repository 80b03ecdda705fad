/** The page for a visitor who found no free slot: polls until one is free, then reloads. */

const wait = Number(document.getElementById("full").dataset.seconds) * 1000;

async function pollFreeSlot() {
  try {
    const answer = await fetch(`/cardlab/free${location.pathname}`);
    if ((await answer.json()).free) return location.reload();
  } catch {
    // No answer: the next poll may succeed.
  }
  setTimeout(pollFreeSlot, wait);
}

setTimeout(pollFreeSlot, wait);
