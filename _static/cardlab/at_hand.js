/** What is at hand beside a hand: buttons that open the rules, or the earnings so far, in a drawer at the side. */

/** @param {(name: string) => void} onOpen told what was opened, by the name that the record knows */
export function atHand(onOpen) {
  for (const button of document.querySelectorAll(".at-hand button")) {
    const drawer = document.getElementById(`${button.dataset.opens}-drawer`);
    button.addEventListener("click", () => {
      drawer.showModal();
      onOpen(button.dataset.opens);
    });
    drawer.querySelector("button").addEventListener("click", () => drawer.close());
    drawer.addEventListener("click", (event) => event.target === drawer && drawer.close()); // beside it
  }
}
