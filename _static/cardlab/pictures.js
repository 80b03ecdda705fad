/** Where pictures lie. A page that carries its pictures within itself (cardlab/analysis/replay) has its own such module. */

/** @param {string} path below _static, like "cards/2H.svg" */
export const picture = (path) => new URL(`../${path}`, import.meta.url).href;
