/** Sentences and numbers as they are written; the words come from the page. */

/** `fill("Moves left: {left}", {left: 3})` */
export function fill(sentence, values = {}) {
  return sentence.replace(/\{(\w+)\}/g, (whole, name) => values[name] ?? whole);
}

/** A number in the form of the page's language: `number(3.25, 1)` is `3.3`, or `3,3`. */
export function number(value, decimals) {
  const form = { minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping: false };
  return new Intl.NumberFormat(document.documentElement.lang || "en", form).format(value);
}

/** Points as they are written: `+7`, `−3` with a real minus sign, `0`. */
export function signed(points) {
  return points === 0 ? "0" : `${points > 0 ? "+" : "−"}${Math.abs(points)}`;
}
