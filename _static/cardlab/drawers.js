/**
 * Connects the buttons that open the rules, the earnings so far or the ten best hands in a drawer. The ten best are
 * reloaded when the drawer opens, because they may have changed since the page was loaded.
 */

/** @param {(name: string) => void} onOpen called with the name of an opened drawer, for the record */
export function connectDrawers(onOpen) {
  for (const button of document.querySelectorAll("[data-opens]")) {
    const drawer = document.getElementById(`${button.dataset.opens}-drawer`);
    button.addEventListener("click", () => {
      if (button.dataset.opens === "best") refresh(drawer);
      drawer.showModal();
      onOpen(button.dataset.opens);
    });
    drawer.querySelector("button").addEventListener("click", () => drawer.close());
    drawer.addEventListener("click", (event) => event.target === drawer && drawer.close()); // a click outside
  }
}

/** Reloads the list; if that fails, says that it is older. */
async function refresh(drawer) {
  const [list, staleNote] = [".ten-best-list", ".as-of"].map((part) => drawer.querySelector(part));
  try {
    const answer = await fetch(location.href, { redirect: "manual", cache: "no-store" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    list.replaceWith(page.querySelector(`#${drawer.id} .ten-best-list`)); // throws for a page after a redirect
    staleNote.hidden = true;
  } catch {
    staleNote.hidden = false;
  }
}
