/** The tab's storage across reloads and pages; in a browser without sessionStorage, that of the page alone. */

export const memory = (() => {
  try {
    sessionStorage.setItem("card-lab-try", "");
    return sessionStorage;
  } catch {
    const kept = new Map();
    return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
  }
})();
