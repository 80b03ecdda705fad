/** The addresses of pictures. Pages with embedded pictures (cardlab/analysis/replay) replace this module. */

/** @param {string} path below _static, like "cards/2H.svg" */
export const picture = (path) => new URL(`../${path}`, import.meta.url).href;
