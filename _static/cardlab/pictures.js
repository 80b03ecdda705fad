/** The addresses of pictures. Pages with embedded pictures (cardlab/analysis/replay) replace this module. */

// In four-colour packs, clubs and diamonds have different colours (tools/card_art/french.py).
const suffix = "fourColours" in document.documentElement.dataset ? "#four" : "";

/** @param {string} path below _static, like "cards/2H.svg" */
export const picture = (path) => new URL(`../${path}${suffix}`, import.meta.url).href;
