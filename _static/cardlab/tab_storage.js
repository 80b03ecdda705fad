/** Storage of this tab that survives reloads and page changes; without sessionStorage, only until the page changes. */

export const tabStorage = (() => {
  try {
    sessionStorage.setItem("card-lab-try", "");
    return sessionStorage;
  } catch {
    const values = new Map();
    return { getItem: (key) => values.get(key) ?? null, setItem: (key, value) => values.set(key, value) };
  }
})();
