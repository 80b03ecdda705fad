/** Sentences and numbers as they are written; the words come from the page. */

/** `fill("Moves left: {left}", {left: 3})` */
export function fill(sentence, values = {}) {
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** A sentence with a capital at its beginning. */
export function begin(sentence) {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

/** A number in the form of the page's language: `number(3.25, 1)` is `3.3`, or `3,3`. */
export function number(value, decimals) {
  const form = { minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping: false };
  return new Intl.NumberFormat(document.documentElement.lang || "en", form).format(value);
}

/** A time as minutes and seconds: `0:09`. @param {number} seconds whole ones are shown */
export function minutes(seconds) {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
}

/** Points as they are written: `+7`, `−3` with a real minus sign, `0`. */
export function signed(points) {
  return points === 0 ? "0" : `${points > 0 ? "+" : "−"}${Math.abs(points)}`;
}
