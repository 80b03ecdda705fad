/** The tab's own memory, over reloads and from page to page; of this page alone in a browser that keeps nothing. */

export const memory = (() => {
  try {
    sessionStorage.setItem("card-lab-try", "");
    return sessionStorage;
  } catch {
    const kept = new Map();
    return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
  }
})();
