/** The addresses of pictures. Pages with embedded pictures (cardlab/analysis/replay) replace this module. */

// With four colours, the French cards of clubs and diamonds have others (tools/card_art/french.py).
const suffix = "fourColours" in document.documentElement.dataset ? "#four" : "";

/** @param {string} path below _static, like "cards/2H.svg" */
export const picture = (path) => new URL(`../${path}${suffix}`, import.meta.url).href;
