/**
 * The buttons beside a hand: they that open the rules, the earnings so far, or the ten best hands, in a drawer at
 * the side. The ten best are asked for when they are opened: the page is older than the hand that was just solved.
 */

/** @param {(name: string) => void} onOpen told what was opened, by the name that the record knows */
export function connectDrawers(onOpen) {
  for (const button of document.querySelectorAll("[data-opens]")) {
    const drawer = document.getElementById(`${button.dataset.opens}-drawer`);
    button.addEventListener("click", () => {
      if (button.dataset.opens === "best") refresh(drawer);
      drawer.showModal();
      onOpen(button.dataset.opens);
    });
    drawer.querySelector("button").addEventListener("click", () => drawer.close());
    drawer.addEventListener("click", (event) => event.target === drawer && drawer.close()); // beside it
  }
}

/** Show the newest list, as this page has it when it is loaded now; if that fails, say that the list is older. */
async function refresh(drawer) {
  const [list, older] = [".ten-best-list", ".as-of"].map((part) => drawer.querySelector(part));
  try {
    const answer = await fetch(location.href, { redirect: "manual", cache: "no-store" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    list.replaceWith(page.querySelector(`#${drawer.id} .ten-best-list`)); // none on a page that was redirected
    older.hidden = true;
  } catch {
    older.hidden = false;
  }
}
